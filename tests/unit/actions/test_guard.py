"""Where a target may be."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from leadline.adapters.targets.guard import NotAllowed, is_allowed, place_of, resolve
from leadline.adapters.targets.signing import is_recent, is_signed, sign


@pytest.mark.parametrize(
    ("address", "networks", "allowed"),
    [
        ("93.184.216.34", (), True),
        ("127.0.0.1", (), False),
        ("127.0.0.1", ("127.0.0.0/8",), True),
        ("10.1.2.3", (), False),
        ("10.1.2.3", ("10.0.0.0/8",), True),
        ("192.168.1.1", ("10.0.0.0/8",), False),
        ("169.254.169.254", (), False),
        ("0.0.0.0", (), False),
        ("100.64.0.1", (), False),
        ("224.0.0.1", (), False),
        ("::1", (), False),
        ("fd00:ec2::254", (), False),
        ("fe80::1", (), False),
        ("::ffff:169.254.169.254", (), False),
        ("::ffff:10.0.0.1", ("10.0.0.0/8",), True),
        ("2002:0a00:0001::", (), False),
        ("64:ff9b::a9fe:a9fe", (), False),
        ("2606:2800:220:1:248:1893:25c8:1946", (), True),
    ],
)
def test_only_public_addresses_and_those_that_the_catalog_names(
    address: str, networks: tuple[str, ...], *, allowed: bool
) -> None:
    assert is_allowed(address, networks) == allowed


async def test_the_hostile_collection_of_urls(shared: Path) -> None:
    """Whatever the spelling: what must be denied is no URL of ours, or its address is refused."""
    entries = json.loads((shared / "data" / "hostile" / "32_ssrf_source_urls.json").read_text("utf-8"))
    denied = [e["url"] for e in entries if e["expect"] == "deny" and _literal(e["url"])]
    assert len(denied) >= 6
    for url in denied:
        try:
            place = place_of(url)
        except ValueError:
            continue
        with pytest.raises(NotAllowed):
            await resolve(place, ())


def _literal(url: str) -> bool:
    """Names that only a name server knows are left out: tests have none."""
    host = urlsplit(url).hostname or ""
    return not host or not host.replace("-", "").replace(".", "").isalpha() or host == "localhost"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x",
        "file:///etc/passwd",
        "https://",
        "https://u:p@x",
        "https://x/?a=b",
        "https://x/#f",
        "x",
        "javascript:a",
    ],
)
def test_what_is_no_plain_web_address(url: str) -> None:
    with pytest.raises(ValueError, match=r"no http or https|holds more"):
        place_of(url)


class TestSignatures:
    secret = b"0123456789abcdef"

    def test_a_signature_binds_id_time_and_body(self) -> None:
        good = sign(self.secret, "m-1", 1_000, b"body")
        assert is_signed(self.secret, good, b"body")
        assert not is_signed(self.secret, good, b"body2")
        assert not is_signed(b"another secret 0", good, b"body")
        assert not is_signed(self.secret, {**good, "webhook-id": "m-2"}, b"body")
        assert not is_signed(self.secret, {**good, "webhook-timestamp": "1001"}, b"body")
        assert not is_signed(self.secret, {}, b"body")

    def test_one_of_several_signatures_is_enough(self) -> None:
        good = sign(self.secret, "m-1", 1_000, b"body")
        several = {**good, "webhook-signature": f"v1,AAAA v2,x {good['webhook-signature']}"}
        assert is_signed(self.secret, several, b"body")

    @pytest.mark.parametrize(("age", "recent"), [(0, True), (299, True), (301, False), (-301, False), ("x", False)])
    def test_age(self, age: object, *, recent: bool) -> None:
        from datetime import UTC, datetime

        now = datetime(2026, 11, 30, tzinfo=UTC)
        at = str(now.timestamp() - age) if isinstance(age, int) else str(age)
        assert is_recent({"webhook-timestamp": at}, now) == recent
