"""Where a target may be: every address of its name is looked at, and the one that was looked at is connected to."""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotAllowed(Exception):
    """Nothing was sent."""


class Place(NamedTuple):
    """A base URL that was taken apart once."""

    scheme: str
    host: str
    port: int
    path: str
    """Without a slash at its end."""

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.scheme == "https" else 80) else f"{host}:{self.port}"


def place_of(url: str) -> Place:
    """Raise `ValueError` for what is no plain http or https URL."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{url!r} is no http or https URL")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(f"{url!r} holds more than a scheme, a host and a path; secrets go into a file")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return Place(parts.scheme, parts.hostname, port, parts.path.rstrip("/"))


async def resolve(place: Place, networks: Sequence[str]) -> str:
    """One address to connect to; raise `NotAllowed` where any address of the name is neither public nor allowed."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        raise NotAllowed(f"{place.host!r} cannot be resolved: {fault}") from fault
    addresses = list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))
    if not addresses:
        raise NotAllowed(f"{place.host!r} has no address")
    for address in addresses:
        if not is_allowed(address, networks):
            raise NotAllowed(f"{place.host!r} is at {address}, which is neither public nor in the target's networks")
    return addresses[0]


def is_allowed(address: str, networks: Sequence[str]) -> bool:
    """Public, or named by the catalog. Mapped and tunnelled addresses are judged by what they carry."""
    ip = _inner(ipaddress.ip_address(address))
    if any(ip in ipaddress.ip_network(network) for network in networks):
        return True
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _inner(ip: Address) -> Address:
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return ip.ipv4_mapped
        if ip.sixtofour is not None:
            return ip.sixtofour
        if ip.teredo is not None:
            return ip.teredo[1]
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
