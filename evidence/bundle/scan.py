"""One pass over a file's bytes: its digest, its lines, and what a reader would trip over."""

import codecs
import gzip
import hashlib
import io
import lzma
import zlib
from pathlib import Path
from typing import NamedTuple, cast

import zstandard

from .files import Compression, SourceFile

CHUNK = 1 << 20
LONG_LINE = 16 * 1024
"""Characters of a line that are kept; DESIGN.md section 12."""
HUGE_LINE = 4 << 20
"""Bytes of a line that a reader is given at most."""
HEAD = 64 * 1024
MAX_RATIO = 300
"""Text that expands further, and beyond `FREE`, is a bomb: logs reach 10 to 100."""
FREE = 256 << 20
MAX_EXPANDED = 256 * 2**30
_TRIPS = (b"\0", b"\x1f")
"""NUL and the unit separator, which stands as the delimiter that text lines never hold."""


class FileScan(NamedTuple):
    sha256: str
    """Of the bytes on disk."""
    lines: int
    """Of the text inside; 0 for Parquet."""
    head: bytes
    """The first bytes of the text inside."""
    expanded: int
    """Bytes of the text inside."""
    bad_utf8: bool
    controls: bool
    bom: bool
    longest: int
    """Bytes of the longest line, 0 where none is beyond the limit."""
    long_lines: int
    cut: str
    """Why the text ends early, else empty."""

    @property
    def needs_repair(self) -> bool:
        return self.bad_utf8 or self.controls or self.bom or bool(self.cut) or self.huge

    @property
    def huge(self) -> bool:
        """Whether a line is longer than a reader is given."""
        return self.longest > HUGE_LINE


def open_text(path: Path, compression: Compression) -> io.BufferedIOBase:
    """The bytes inside a file, decompressed by a stream."""
    if compression == "gz":
        return cast("io.BufferedIOBase", gzip.open(path, "rb"))
    if compression == "xz":
        return cast("io.BufferedIOBase", lzma.open(path, "rb"))
    if compression == "zst":
        raw = path.open("rb")
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            raw, read_across_frames=True, closefd=True
        )
        return cast("io.BufferedIOBase", io.BufferedReader(cast("io.RawIOBase", reader), CHUNK))
    return path.open("rb")


STREAM_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


def scan(file: SourceFile) -> FileScan:
    sha256 = sha256_of(file.path)
    if file.format == "parquet":
        return FileScan(sha256, 0, b"", file.size, False, False, False, 0, 0, "")
    pass_ = _Pass()
    cut = ""
    try:
        with open_text(file.path, file.compression) as stream:
            while chunk := stream.read1(CHUNK):
                pass_.feed(chunk)
                if pass_.expanded > min(MAX_EXPANDED, max(FREE, file.size * MAX_RATIO)):
                    cut = f"it expands to more than {MAX_RATIO} times its size"
                    break
    except STREAM_ERRORS as error:
        cut = f"it cannot be decompressed to its end ({type(error).__name__})"
    return pass_.result(sha256, cut)


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class _Pass:
    def __init__(self) -> None:
        self.head = b""
        self.expanded = 0
        self._lines = 0
        self._last = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bad = False
        self._controls = False
        self._open_line = 0
        self._longest = 0
        self._long_lines = 0

    def feed(self, chunk: bytes) -> None:
        if len(self.head) < HEAD:
            self.head += chunk[: HEAD - len(self.head)]
        self.expanded += len(chunk)
        self._lines += chunk.count(b"\n")
        self._last = chunk[-1:]
        self._controls = self._controls or any(byte in chunk for byte in _TRIPS)
        if not self._bad:
            try:
                self._decoder.decode(chunk)
            except UnicodeDecodeError:
                self._bad = True
        self._measure(chunk)

    def _measure(self, chunk: bytes) -> None:
        """Steps from line end to line end, as far apart as the limit allows."""
        start = -self._open_line
        while True:
            end = chunk.rfind(b"\n", max(start, 0), max(start + LONG_LINE, 0))
            if end < 0:
                end = chunk.find(b"\n", max(start, 0))
                if end < 0:
                    break
                if end - start > LONG_LINE:
                    self._longest = max(self._longest, end - start)
                    self._long_lines += 1
            start = end + 1
        self._open_line = len(chunk) - start

    def result(self, sha256: str, cut: str) -> FileScan:
        if not self._bad:
            try:
                self._decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                self._bad = True
        if self._open_line > LONG_LINE:
            self._longest = max(self._longest, self._open_line)
            self._long_lines += 1
        lines = self._lines + (1 if self._last not in {b"", b"\n"} else 0)
        return FileScan(
            sha256, lines, self.head, self.expanded, self._bad, self._controls,
            self.head.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
            self._longest, self._long_lines, cut,
        )  # fmt: skip
