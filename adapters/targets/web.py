"""One request to a target's web service: pinned to a checked address, no redirects, no proxies, bounded answers."""

import ssl
from collections.abc import Mapping
from typing import NamedTuple

import httpx

from .guard import NotAllowed, Place, place_of, resolve

MOST_BYTES = 262_144
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class NotSent(Exception):
    """It is certain that the target saw nothing."""


class NoAnswer(Exception):
    """The target may have seen it."""


class WebAnswer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    """Names in small letters."""
    body: bytes


class Web:
    def __init__(self, url: str, networks: tuple[str, ...], ca_file: str = "", token: str = "") -> None:
        self._place: Place = place_of(url)
        self._networks = networks
        self._token = token
        verify: ssl.SSLContext | bool = ssl.create_default_context(cafile=ca_file) if ca_file else True
        self._client = httpx.AsyncClient(
            verify=verify, trust_env=False, follow_redirects=False, limits=httpx.Limits(max_keepalive_connections=0)
        )

    async def ask(
        self, method: str, path: str, *, seconds: float, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> WebAnswer:
        """Raise `NotSent` or `NoAnswer`; every status is an answer."""
        place = self._place
        try:
            address = await resolve(place, self._networks)
        except NotAllowed as why:
            raise NotSent(str(why)) from why
        host = f"[{address}]" if ":" in address else address
        request = self._client.build_request(
            method,
            f"{place.scheme}://{host}:{place.port}{place.path}{path}",
            content=body or None,
            headers={
                "host": place.authority,
                "accept-encoding": "identity",
                **self._authorization(),
                **(headers or {}),
            },
            timeout=httpx.Timeout(seconds),
            extensions={"sni_hostname": place.host},
        )
        try:
            return await self._send(request)
        except _NOT_SENT as fault:
            raise NotSent(f"{place.authority} cannot be reached: {fault or type(fault).__name__}") from fault
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as fault:
            raise NoAnswer(f"{place.authority} gave no answer: {fault or type(fault).__name__}") from fault

    async def close(self) -> None:
        await self._client.aclose()

    async def _send(self, request: httpx.Request) -> WebAnswer:
        answer = await self._client.send(request, stream=True)
        try:
            kept = bytearray()
            async for chunk in answer.aiter_raw():
                kept += chunk
                if len(kept) > MOST_BYTES:
                    raise NoAnswer(f"its answer is longer than {MOST_BYTES} bytes")
        finally:
            await answer.aclose()
        return WebAnswer(answer.status_code, {k.lower(): v for k, v in answer.headers.items()}, bytes(kept))

    def _authorization(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}"} if self._token else {}
