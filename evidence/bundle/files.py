"""Which files make up a bundle; links, odd names and anything beyond the bounds are refused before a byte is read."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from ...contracts.errors import BundleError
from ...contracts.evidence import SOURCES, Source
from .archives import is_archive, refuse_archive

Format = Literal["csv", "jsonl", "json", "parquet", "text"]
Compression = Literal["", "gz", "zst", "xz"]

MANIFEST = "incident.yaml"
PACK_NOTE = "bundle.json"
MAX_FILES = 20_000
MAX_BYTES = 64 * 2**30
MAX_DEPTH = 6
_FORMATS: dict[str, Format] = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet",
    ".txt": "text", ".log": "text",
}  # fmt: skip
_COMPRESSIONS: dict[str, Compression] = {".gz": "gz", ".zst": "zst", ".xz": "xz"}
_GLOB_OR_CONTROL = frozenset('*?[]{}"\\') | {chr(c) for c in range(32)} | {chr(127)}


class SourceFile(NamedTuple):
    """One file of one source; `name` is its path inside the bundle, with `/`."""

    source: Source
    path: Path
    name: str
    format: Format
    compression: Compression
    size: int


class BundleFiles(NamedTuple):
    files: tuple[SourceFile, ...]
    """Sorted by name."""
    unread: tuple[tuple[Source, str], ...]
    """Notes on files of a source that are of no readable kind."""
    ignored: tuple[str, ...]
    """Names at the top that belong to no source."""


def list_files(root: Path, *, xz: bool = False) -> BundleFiles:
    """Everything a bundle holds, or BundleError for what must not be followed or is too much.

    `.xz` is listed as unread unless asked for: DuckDB cannot read it in place.
    """
    _check_root(root)
    files: list[SourceFile] = []
    unread: list[tuple[Source, str]] = []
    ignored: list[str] = []
    total = 0
    for count, (path, info) in enumerate(_walk(root, 1)):
        total += info.st_size
        if count >= MAX_FILES or total > MAX_BYTES:
            raise BundleError(
                f"bundle {str(root)!r} is too large",
                why=f"more than {MAX_FILES} files or {MAX_BYTES // 2**30} GiB",
                hint="cut it to the incident's window",
            )
        name = path.relative_to(root).as_posix()
        source = source_of(name)
        if source is None:
            ignored.extend([name] if name not in {MANIFEST, PACK_NOTE} else [])
            continue
        kind = kind_of(source, name, xz=xz)
        if kind is None:
            unread.append((source, _why_unread(name)))
        else:
            files.append(SourceFile(source, path, name, kind[0], kind[1], info.st_size))
    return BundleFiles(tuple(sorted(files, key=lambda f: f.name)), tuple(sorted(unread)), tuple(sorted(ignored)))


def source_of(name: str) -> Source | None:
    """`logs.jsonl.gz` and `logs/a/b.csv` are logs; anything else at the top is none of ours."""
    head = name.split("/", 1)[0]
    stem = head.split(".", 1)[0]
    found = head if "/" in name else stem
    return next((source for source in SOURCES if source == found), None)


def kind_of(source: Source, name: str, *, xz: bool = False) -> tuple[Format, Compression] | None:
    """How a file is read, told by its name alone; None where it is not."""
    suffixes = [s.lower() for s in Path(name).suffixes[-2:]]
    compression: Compression = _COMPRESSIONS.get(suffixes[-1], "") if suffixes else ""
    suffix = "".join(suffixes[-2:-1]) if compression else "".join(suffixes[-1:])
    if source == "documents":
        unread = is_archive(name) or (compression == "xz" and not xz) or suffix == ".parquet"
        return None if unread else ("text", compression)
    found = _FORMATS.get(suffix)
    if found is None or (compression == "xz" and not xz) or (found == "text" and source != "logs"):
        return None
    return None if found == "parquet" and compression else (found, compression)


def _check_root(root: Path) -> None:
    if root.is_file():
        if is_archive(root.name):
            refuse_archive(root)
        raise BundleError(f"{str(root)!r} is a file", why="a bundle is a folder", hint="name the folder around it")
    if not root.is_dir():
        raise BundleError(f"no bundle at {str(root)!r}", why="no such folder", hint="leadline bundle check PATH")
    if _GLOB_OR_CONTROL & set(str(root)):
        raise BundleError(f"bundle path {str(root)!r} holds *, ?, [, ], {{, }}, a quote or a control character",
                          why="it would be read as a pattern", hint="move or rename the folder")  # fmt: skip


def _walk(folder: Path, depth: int) -> Iterator[tuple[Path, os.stat_result]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as error:
        raise BundleError(f"cannot read folder {str(folder)!r}", why=error.strerror or str(error)) from error
    for entry in entries:
        info = entry.stat(follow_symlinks=False)
        path = Path(entry.path)
        if stat.S_ISLNK(info.st_mode) or not (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)):
            raise BundleError(f"bundle holds {str(path)!r}, which is a link or no plain file",
                              why="links, devices and pipes are never followed",
                              hint="copy the file itself into the bundle")  # fmt: skip
        if _GLOB_OR_CONTROL & set(entry.name) or not entry.name.isprintable():
            raise BundleError(f"file name {entry.name!r} holds a pattern or control character", hint="rename it")
        if stat.S_ISDIR(info.st_mode):
            if depth >= MAX_DEPTH:
                raise BundleError(f"folder {str(path)!r} lies too deep", why=f"more than {MAX_DEPTH} levels")
            yield from _walk(path, depth + 1)
        else:
            yield path, info


def _why_unread(name: str) -> str:
    if is_archive(name):
        return f"{name}: archives are never extracted"
    if name.endswith(".xz"):
        return f"{name}: .xz is not read in place (leadline bundle pack reads it)"
    return f"{name}: not a format that is read (.csv .jsonl .json .parquet .txt, plain .gz .zst)"
