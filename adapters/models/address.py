"""Where Ollama is: what people write becomes one URL, or is refused."""

from typing import NamedTuple
from urllib.parse import urlsplit

from ...contracts.errors import UsageError

DEFAULT = "http://127.0.0.1:11434"
_PORTS = {"http": 80, "https": 443}
_LISTENING = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # recognised, never bound
_HINT = f"write it as {DEFAULT}"


class Address(NamedTuple):
    url: str
    """`scheme://host:port`, and a path where there is one."""
    note: str
    """What was understood differently from how it was written."""


def address_of(text: str) -> Address:
    """As Ollama reads OLLAMA_HOST: scheme and port may be missing. Raise UsageError for anything but http(s)."""
    written = text.strip() or DEFAULT
    bare = "://" not in written
    try:
        parts = urlsplit(f"http://{written}" if bare else written)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{written!r} is no address of an Ollama server", why=str(error), hint=_HINT) from error
    if parts.scheme not in _PORTS:
        raise UsageError(f"{parts.scheme!r} is no way to reach Ollama", why=f"in {written!r}", hint=_HINT)
    if parts.username or parts.password:
        why = "the address is stored with the run, so no credentials may stand in it"
        raise UsageError("the address of the Ollama server holds credentials", why=why, hint="set OLLAMA_API_KEY")
    if parts.query or parts.fragment:
        raise UsageError(f"{written!r} is no address of an Ollama server", why="it has a query", hint=_HINT)
    host = parts.hostname or "127.0.0.1"
    note = ""
    if host in _LISTENING:
        note = f"{host} is an address to listen on; {_LISTENING[host]} is asked instead"
        host = _LISTENING[host]
    shown = f"[{host}]" if ":" in host else host
    default = 11434 if bare else _PORTS[parts.scheme]
    return Address(f"{parts.scheme}://{shown}:{port or default}{parts.path.rstrip('/')}", note)
