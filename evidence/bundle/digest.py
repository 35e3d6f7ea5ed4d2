"""What makes two bundles equal: the same names with the same bytes."""

import hashlib
import hmac
from collections.abc import Mapping

from ...contracts.base import Digest


def bundle_digest(hashes: Mapping[str, str]) -> Digest:
    """Over (name, sha256 of the file), sorted by name."""
    total = hashlib.sha256()
    for name in sorted(hashes):
        total.update(f"{name}\0{hashes[name]}\n".encode("utf-8", "surrogateescape"))
    return Digest(total.hexdigest())


def redaction_key(hashes: Mapping[str, str]) -> bytes:
    """Keys the placeholders of secrets. Whoever has the bundle can derive it; the digest alone does not give it."""
    return hmac.new(b"leadline redaction", bundle_digest(hashes).encode() + repr(sorted(hashes.items())).encode(),
                    hashlib.sha256).digest()  # fmt: skip
