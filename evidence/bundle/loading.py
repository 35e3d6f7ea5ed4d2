"""From files to tables, source by source, and what went wrong on the way."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from ...contracts.evidence import SOURCES, Source
from .documents import load_documents
from .files import BundleFiles, SourceFile
from .readers import Readable
from .relations import relation_of
from .repair import repair
from .scan import FileScan
from .storing import Part, edges_of_spans, store

MAX_ATTRIBUTES = 12


class Loaded(NamedTuple):
    """What became of one source's files."""

    source: Source
    files: int
    lines: int
    """Records that the text should hold, by counting line ends; 0 where they cannot be counted so."""
    notes: tuple[str, ...]
    broken: tuple[str, ...]
    """Files that could not be read at all."""
    cut: bool
    """Whether some file ends early."""
    empty: bool
    """Whether no file holds a byte."""


def load_all(
    connection: duckdb.DuckDBPyConnection, listed: BundleFiles, scans: dict[str, FileScan], temporary: Path
) -> dict[Source, Loaded]:
    found: dict[Source, Loaded] = {}
    for source in SOURCES:
        files = [file for file in listed.files if file.source == source]
        unread = [note for at, note in listed.unread if at == source]
        found[source] = _load(connection, source, files, unread, scans, temporary)
    if found["topology"].empty:
        edges_of_spans(connection)
    return found


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    files: Sequence[SourceFile],
    unread: Sequence[str],
    scans: dict[str, FileScan],
    temporary: Path,
) -> Loaded:
    if source == "documents":
        notes = load_documents(connection, files, scans)
        return Loaded(source, len(files), 0, (*unread, *notes), (), cut=False, empty=not any(f.size for f in files))
    parts: list[Part] = []
    notes = list(unread)
    broken: list[str] = list(unread)
    for file in files:
        found = scans[file.name]
        notes.extend(_scan_notes(file, found))
        if file.format != "parquet" and not found.expanded:
            continue
        try:
            readable = _readable(file, found, temporary, notes)
            parts.append(Part(relation_of(connection, readable), ((file.name, readable.file.path),)))
        except (duckdb.Error, ValueError, OSError) as error:
            broken.append(f"{file.name}: {_first_line(error, file.path, temporary)}")
    broken.extend(store(connection, source, parts, _size(files, scans), temporary))
    broken_notes = [note for note in broken if note not in notes]
    unknown = sorted({name for part in parts for name in part.relation.unknown})
    if unknown and source != "topology":
        notes.append(f"unknown columns kept as attributes: {_listed(unknown)}")
    notes.extend(_missing_columns(source, parts))
    return Loaded(
        source,
        len(files),
        _expected_records(files, scans),
        (*broken_notes, *notes),
        tuple(broken),
        cut=any(scans[file.name].cut for file in files),
        empty=not any(scans[file.name].expanded for file in files),
    )


def _readable(file: SourceFile, found: FileScan, temporary: Path, notes: list[str]) -> Readable:
    if file.format == "parquet" or not (found.needs_repair or file.compression == "xz"):
        return Readable(file, found, file)
    fixed = repair(file, found, temporary, sum(1 for _ in temporary.iterdir()))
    if fixed.replaced:
        notes.append(f"{file.name}: {fixed.replaced} characters were no UTF-8 and were replaced")
    return Readable(fixed.file, found._replace(head=fixed.head), file)


def _size(files: Sequence[SourceFile], scans: dict[str, FileScan]) -> int:
    """Bytes of text; Parquet counts as what it unpacks to, roughly."""
    return sum(max(scans[f.name].expanded, f.size * (4 if f.format == "parquet" else 1)) for f in files)


def _expected_records(files: Sequence[SourceFile], scans: dict[str, FileScan]) -> int:
    if any(file.format not in {"jsonl", "csv"} for file in files):
        return 0
    return sum(max(scans[f.name].lines - (1 if f.format == "csv" else 0), 0) for f in files)


def _scan_notes(file: SourceFile, found: FileScan) -> list[str]:
    notes = [f"{file.name}: cut, {found.cut}"] if found.cut else []
    if found.long_lines:
        notes.append(f"{file.name}: {found.long_lines} lines longer than 16 KiB, what is beyond is not looked at")
    if found.controls:
        notes.append(f"{file.name}: NUL or separator bytes were made visible")
    return notes


def _missing_columns(source: Source, parts: Sequence[Part]) -> list[str]:
    needed = {"metrics": ("ts", "metric", "value"), "logs": ("ts", "body"), "traces": ("trace_id", "span_id", "start"),
              "changes": ("ts", "ref"), "topology": ("caller", "callee"), "resources": ("name",)}  # fmt: skip
    lacking = sorted(
        {column for part in parts for column in needed.get(source, ()) if column not in part.relation.known}
    )
    return [f"no column could be told to be {_listed(lacking)}"] if lacking else []


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:60] for name in names[:MAX_ATTRIBUTES])
    return shown + (f" and {len(names) - MAX_ATTRIBUTES} more" if len(names) > MAX_ATTRIBUTES else "")


def _first_line(error: Exception, *paths: Path) -> str:
    """What a reader says is wrong, without the paths of this machine."""
    text = str(error).strip().split("\n", 1)[0]
    for path in paths:
        text = text.replace(str(path), path.name)
    return text[:200] or type(error).__name__
