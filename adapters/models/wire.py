"""Ollama's HTTP calls beside a chat's: which models are there, what they can. Bounded in time and size."""

import asyncio
import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import JsonValue

from ...contracts.errors import ModelError

if TYPE_CHECKING:
    import ssl

CONNECT_SECONDS = 2.0
LIST_SECONDS = 5.0
RESPONSE_BYTES = 4_000_000


@cache
def certificates() -> "ssl.SSLContext":
    """Read once a process: that takes 33 ms, and each client would do it anew, for plain HTTP too."""
    import httpx  # noqa: PLC0415  # as below

    return httpx.create_ssl_context(trust_env=False)


class InstalledModel(NamedTuple):
    name: str
    digest: str
    family: str
    remote: bool
    """It runs elsewhere: asking it sends the telemetry away."""


class Wire:
    """One server; opens a connection per call, so that it needs no closing."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def models(self) -> tuple[InstalledModel, ...]:
        """As the server lists them, newest first. Raise ModelError."""
        listed = (await self._request("GET", "/api/tags", None, LIST_SECONDS)).get("models")
        entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        return tuple(_installed(entry) for entry in entries if isinstance(entry.get("name"), str))

    async def version(self) -> str:
        return str((await self._request("GET", "/api/version", None, LIST_SECONDS)).get("version", "unknown"))

    async def capabilities(self, model: str) -> tuple[str, ...] | None:
        """None where the server does not say."""
        found = (await self._request("POST", "/api/show", {"model": model}, LIST_SECONDS)).get("capabilities")
        return tuple(map(str, found)) if isinstance(found, list) else None

    async def chat(self, body: Mapping[str, JsonValue], seconds: float) -> dict[str, Any]:
        """One answer at once, not streamed."""
        return await self._request("POST", "/api/chat", {**body, "stream": False}, seconds)

    async def _request(
        self, method: str, path: str, body: Mapping[str, JsonValue] | None, seconds: float
    ) -> dict[str, Any]:
        import httpx  # noqa: PLC0415  # 130 ms that commands without a model need not wait

        from .faults import fault_of, refused  # noqa: PLC0415  # for the same reason

        timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
        try:
            async with (
                asyncio.timeout(seconds),
                httpx.AsyncClient(
                    timeout=timeout, trust_env=False, follow_redirects=False, verify=certificates()
                ) as client,
                client.stream(method, f"{self.url}{path}", json=body) as response,
            ):
                content = bytearray()
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > RESPONSE_BYTES:
                        break
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError) as error:
            raise fault_of(error, self.url) from error
        if response.status_code == 404 and body is None:
            raise ModelError(f"{self.url} does not answer like Ollama", kind="server_error", why=f"no {path} there")
        if response.status_code != 200:
            raise refused(response.status_code, bytes(content[:500]).decode("utf-8", "replace"))
        try:
            loaded = json.loads(content[: RESPONSE_BYTES + 1])
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.url} does not answer like Ollama", kind="server_error", why="no JSON") from error
        if not isinstance(loaded, dict):
            raise ModelError(f"{self.url} does not answer like Ollama", kind="server_error", why="no JSON object")
        return loaded


def _installed(entry: Mapping[str, Any]) -> InstalledModel:
    details = entry.get("details")
    family = details.get("family") if isinstance(details, dict) else None
    return InstalledModel(
        name=entry["name"],
        digest=str(entry.get("digest") or ""),
        family=str(family or ""),
        remote=bool(entry.get("remote_host") or entry.get("remote_model")),
    )
