"""Documents: text of any kind, small enough to be held whole, named by their path."""

from collections.abc import Sequence

import duckdb

from .files import SourceFile
from .scan import STREAM_ERRORS, FileScan, open_text

MAX_DOCUMENT = 1 << 20
MAX_TOTAL = 64 << 20


def load_documents(
    connection: duckdb.DuckDBPyConnection, files: Sequence[SourceFile], scans: dict[str, FileScan]
) -> list[str]:
    """Fill the table and say what was cut or left out."""
    connection.execute("CREATE TABLE documents (name VARCHAR, body VARCHAR)")
    notes: list[str] = []
    total = 0
    for file in files:
        if total >= MAX_TOTAL:
            notes.append(f"{file.name}: left out, the documents are larger than {MAX_TOTAL >> 20} MiB together")
            continue
        try:
            with open_text(file.path, file.compression) as stream:
                raw = stream.read(MAX_DOCUMENT)
        except STREAM_ERRORS as error:
            notes.append(f"{file.name}: cannot be read ({type(error).__name__})")
            continue
        if scans[file.name].expanded > MAX_DOCUMENT:
            notes.append(f"{file.name}: cut after {MAX_DOCUMENT >> 20} MiB")
        total += len(raw)
        name = file.name.partition("/")[2] or file.name
        connection.execute("INSERT INTO documents VALUES (?, ?)", [name, _text(raw)])
    return notes


def _text(raw: bytes) -> str:
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return raw.decode(encoding, "replace").replace("\0", "\u2400")
