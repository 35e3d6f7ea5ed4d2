"""Addresses of Ollama as people write them."""

import pytest

from leadline.adapters.models.address import address_of
from leadline.contracts.errors import UsageError


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        ("gpu.example:8080", "http://gpu.example:8080"),
        (":1234", "http://127.0.0.1:1234"),
        ("http://gpu.example", "http://gpu.example:80"),
        ("https://gpu.example", "https://gpu.example:443"),
        ("http://gpu.example:11434/", "http://gpu.example:11434"),
        ("http://gpu.example:1/ollama/", "http://gpu.example:1/ollama"),
        ("[::1]:11434", "http://[::1]:11434"),
    ],
)
def test_one_url(written: str, url: str) -> None:
    assert address_of(written) == (url, "")


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://0.0.0.0:9000", "http://127.0.0.1:9000"),
        ("[::]:9000", "http://[::1]:9000"),
    ],
)
def test_an_address_to_listen_on_is_said_to_be_one(written: str, url: str) -> None:
    found = address_of(written)
    assert found.url == url
    assert "is an address to listen on" in found.note


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("file:///etc/passwd", "'file' is no way to reach Ollama"),
        ("ftp://host", "'ftp' is no way"),
        ("http://user:pw@host", "credentials"),
        ("http://host:99999", "no address"),
        ("http://host/?x=1", "query"),
        ("http://[bad", "no address"),
    ],
)
def test_anything_else_is_refused(written: str, says: str) -> None:
    with pytest.raises(UsageError, match="Ollama") as refused:
        address_of(written)
    assert says in str(refused.value)
    assert "pw" not in str(refused.value)
    assert refused.value.hint
