"""Signatures of requests, replies and callbacks, as Standard Webhooks has them: HMAC-SHA256 over id, time and body."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ...contracts.errors import CatalogError

ID, TIME, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
PREFIX = "whsec_"
TOLERANCE = 300.0
"""Seconds that a callback may be old."""


def read_secret(path: str) -> bytes:
    """Raise `CatalogError`; the secret itself never shows in it."""
    text = read_file(path, "secret").strip()
    try:
        secret = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if len(secret) < 16:
        raise CatalogError(f"the secret in {path!r} is no {PREFIX}… with at least 16 bytes of base64")
    return secret


def read_file(path: str, what: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise CatalogError(f"the {what} file {path!r} cannot be read", why=str(fault)) from fault


def sign(secret: bytes, message_id: str, at: int, body: bytes) -> dict[str, str]:
    return {ID: message_id, TIME: str(at), SIGNATURE: _signature(secret, message_id, str(at), body)}


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether one of the signatures is right; header names in small letters."""
    due = _signature(secret, headers.get(ID, ""), headers.get(TIME, ""), body).encode()
    given = headers.get(SIGNATURE, "").split()
    return any(hmac.compare_digest(due, one.encode("utf-8", "replace")) for one in given)


def is_recent(headers: Mapping[str, str], now: datetime) -> bool:
    try:
        at = float(headers.get(TIME, ""))
    except ValueError:
        return False
    return abs(now.timestamp() - at) <= TOLERANCE


def _signature(secret: bytes, message_id: str, at: str, body: bytes) -> str:
    signed = f"{message_id}.{at}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, "sha256")).decode()
