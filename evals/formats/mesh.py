"""What collections taken from a service mesh share: dependency files, edge columns, compressed text."""

import csv
import gzip
import io
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .tables import TableWriter

OPENERS: dict[str, Callable[[Path], Any]] = {".xz": lzma.open, ".gz": gzip.open}


def topology(tables: TableWriter, dependency: Path) -> None:
    """Calls between services; a target that is an address is the node that the service runs on."""
    if not dependency.is_file():
        return
    with open_text(dependency) as file:
        rows = [
            {
                "caller": line["Source"],
                "callee": line["Target"],
                "kind": "runs_on" if re.fullmatch(r"[\d.]+", line["Target"]) else "calls",
                "weight": float(line["Weight"] or 1),
            }
            for line in csv.DictReader(file)
        ]
    tables.rows("topology", rows)


def number(cell: str | None) -> float | None:
    """None for text, an empty cell, NaN and infinity."""
    try:
        value = float(cell or "")
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def open_text(path: Path) -> io.TextIOWrapper:
    raw = OPENERS[path.suffix](path) if path.suffix in OPENERS else path.open("rb")
    return io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="")
