"""Bundles made in a test: a few files and an incident."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from leadline.evidence import OpenedBundle, open_bundle

INCIDENT = "schema: 1\nid: inc-1\ntitle: checkout is slow\n"
MakeBundle = Callable[..., Path]
OpenFiles = Callable[..., OpenedBundle]


@pytest.fixture
def make_bundle(tmp_path: Path) -> MakeBundle:
    """Writes files (text, bytes, or rows as JSON lines) into a bundle's folder."""

    def make(files: Mapping[str, Any] | None = None, *, incident: str = INCIDENT, name: str = "bundle") -> Path:
        root = tmp_path / name
        root.mkdir()
        (root / "incident.yaml").write_text(incident, encoding="utf-8")
        for path, content in (files or {}).items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                target.write_bytes(content)
            elif isinstance(content, str):
                target.write_text(content, encoding="utf-8")
            else:
                target.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
        return root

    return make


@pytest.fixture
def opened(make_bundle: MakeBundle) -> Iterator[OpenFiles]:
    """Opens a bundle of these files, closed when the test ends."""
    found: list[OpenedBundle] = []

    def make(files: Mapping[str, Any] | None = None, **options: Any) -> OpenedBundle:
        found.append(open_bundle(make_bundle(files, name=f"bundle{len(found)}", **options)))
        return found[-1]

    yield make
    for one in found:
        one.close()
