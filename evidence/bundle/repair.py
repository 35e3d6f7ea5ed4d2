"""Copies of files that DuckDB would refuse: bytes that are no UTF-8, NULs, byte order marks, a cut compression stream.

The copy lies in the opened bundle's own temporary folder, is written by a stream, and goes when the bundle is closed.
"""

import codecs
from pathlib import Path
from typing import NamedTuple

from .files import SourceFile
from .scan import CHUNK, STREAM_ERRORS, FileScan, open_text

MAX_COPY = 4 * 2**30


class Repaired(NamedTuple):
    file: SourceFile
    replaced: int
    """Bytes that were no UTF-8, each now U+FFFD."""


def repair(file: SourceFile, found: FileScan, folder: Path, number: int) -> Repaired:
    target = folder / f"repaired-{number}.{file.format}"
    encoding = "utf-16" if found.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    replaced = written = 0
    last = ""
    with target.open("w", encoding="utf-8", newline="") as out:
        try:
            with open_text(file.path, file.compression) as stream:
                while (chunk := stream.read(CHUNK)) and written < min(MAX_COPY, found.expanded):
                    last = decoder.decode(chunk)
                    written += len(chunk)
                    replaced += last.count("\ufffd")
                    out.write(_plain(last))
        except STREAM_ERRORS:
            pass  # what came before the break is kept; `found.cut` tells the reader of the bundle
        rest = decoder.decode(b"", final=True)
        replaced += rest.count("\ufffd")
        out.write(_plain(rest))
    return Repaired(file._replace(path=target, compression="", size=target.stat().st_size), replaced)


def _plain(text: str) -> str:
    return text.replace("\0", "\u2400").replace("\x1f", "\u241f").removeprefix("\ufeff")
