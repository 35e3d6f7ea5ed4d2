"""Copies of files that DuckDB would refuse: bytes that are no UTF-8, NULs, byte order marks, a cut compression stream.

The copy lies in the opened bundle's own temporary folder, is written by a stream, and goes when the bundle is closed.
"""

import codecs
from pathlib import Path
from typing import NamedTuple

from .files import SourceFile
from .scan import CHUNK, HEAD, HUGE_LINE, STREAM_ERRORS, FileScan, open_text

MAX_COPY = 4 * 2**30


class Repaired(NamedTuple):
    file: SourceFile
    replaced: int
    """Characters that were no UTF-8, each now U+FFFD."""
    head: bytes
    """The first bytes of the copy."""


def repair(file: SourceFile, found: FileScan, folder: Path, number: int) -> Repaired:
    target = folder / f"repaired-{number}.{file.format}"
    encoding = "utf-16" if found.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    lines = _Lines(HUGE_LINE if found.huge and file.format in {"text", "jsonl", "csv"} else None)
    replaced = read = 0
    with target.open("w", encoding="utf-8", newline="") as out:
        try:
            with open_text(file.path, file.compression) as stream:
                while (chunk := stream.read1(CHUNK)) and read < min(MAX_COPY, found.expanded):
                    text = decoder.decode(chunk)
                    read += len(chunk)
                    replaced += text.count("\ufffd")
                    out.write(_plain(lines.kept(text)))
        except STREAM_ERRORS:
            pass  # what came before the break is kept; `found.cut` tells the reader of the bundle
        rest = decoder.decode(b"", final=True)
        replaced += rest.count("\ufffd")
        out.write(_plain(lines.kept(rest)))
    with target.open("rb") as copy:
        head = copy.read(HEAD)
    return Repaired(file._replace(path=target, compression="", size=target.stat().st_size), replaced, head)


class _Lines:
    """Cuts lines that are longer than a reader is given, across the pieces of a stream."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._length = 0

    def kept(self, text: str) -> str:
        if self._limit is None:
            return text
        pieces = []
        for number, line in enumerate(text.split("\n")):
            if number:
                pieces.append("\n")
                self._length = 0
            pieces.append(line[: max(self._limit - self._length, 0)])
            self._length += len(line)
        return "".join(pieces)


def _plain(text: str) -> str:
    return text.replace("\0", "\u2400").replace("\x1f", "\u241f").removeprefix("\ufeff")
