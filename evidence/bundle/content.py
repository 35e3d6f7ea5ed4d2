"""A bundle's folder, read and checked: its incident, its tables, what they cover, and its digest."""

import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ...contracts.base import Digest
from ...contracts.errors import BundleError
from ...contracts.evidence import SOURCES, Source, SourceCoverage
from ...contracts.incident import Incident
from .coverage import cover
from .database import connect, lock
from .digest import bundle_digest, redaction_key
from .files import MANIFEST, PACK_NOTE, SourceFile, list_files
from .loading import load_all
from .manifest import read_incident
from .packed import read_note, remembered
from .scan import FileScan, scan, sha256_of


@dataclass(frozen=True, kw_only=True)
class Content:
    root: Path
    incident: Incident
    """As written: not redacted."""
    digest: Digest
    redaction_key: bytes
    coverage: Mapping[Source, SourceCoverage]
    """Notes not redacted."""
    connection: duckdb.DuckDBPyConnection
    files: tuple[tuple[SourceFile, FileScan], ...]
    ignored: tuple[str, ...]
    temporary: Path

    def close(self) -> None:
        with contextlib.suppress(duckdb.Error):
            self.connection.close()
        shutil.rmtree(self.temporary, ignore_errors=True)


def read_content(path: Path, *, writable: Path | None = None, xz: bool = False) -> Content:
    """Raise BundleError. `writable` is one more folder that tables may be written to; `xz` is for packing."""
    root = path.resolve()
    listed = list_files(root, xz=xz)
    incident = read_incident(root)
    note = read_note(root)
    temporary = Path(tempfile.mkdtemp(prefix="leadline-bundle-"))
    try:
        scans = {file.name: _scanned(file) for file in listed.files}
        hashes = {name: found.sha256 for name, found in scans.items()}
        hashes |= {name: sha256_of(root / name) for name in (MANIFEST, PACK_NOTE) if (root / name).is_file()}
        connection = connect(temporary)
        loaded = load_all(connection, listed, scans, temporary)
        lock(connection, (root, temporary, *([writable] if writable else [])))
        found: dict[Source, SourceCoverage] = {source: cover(connection.cursor(), loaded[source]) for source in SOURCES}
        coverage = remembered(found, note)
        _check_window(incident, coverage)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return Content(
        root=root, incident=incident, digest=bundle_digest(hashes), coverage=coverage, connection=connection,
        redaction_key=bytes.fromhex(note.redaction_key) if note else redaction_key(hashes), temporary=temporary,
        files=tuple((file, scans[file.name]) for file in listed.files), ignored=listed.ignored,
    )  # fmt: skip


def _scanned(file: SourceFile) -> FileScan:
    try:
        return scan(file)
    except OSError as error:
        raise BundleError(
            f"{str(file.path)!r} cannot be read", why=error.strerror or str(error), hint="check its permissions"
        ) from error


def _check_window(incident: Incident, coverage: Mapping[Source, SourceCoverage]) -> None:
    window = incident.window
    if window is None:
        return
    if window.start == window.end:
        raise BundleError(
            f"the window of {incident.id!r} is empty",
            why=f"it starts and ends at {window.start.isoformat()}",
            hint=f"give {MANIFEST} a window that holds the incident, or none",
        )
    dated = [c for c in coverage.values() if c.source in {"metrics", "logs", "traces"} and c.start and c.end]
    if dated and not any(c.start and c.end and c.start <= window.end and c.end >= window.start for c in dated):
        spans = ", ".join(f"{c.source} {c.start:%Y-%m-%dT%H:%M:%SZ} to {c.end:%Y-%m-%dT%H:%M:%SZ}" for c in dated)
        raise BundleError(
            f"no telemetry lies in the window of {incident.id!r}",
            why=f"the window is {window.start.isoformat()} to {window.end.isoformat()}, the bundle holds {spans}",
            hint=f"correct the window in {MANIFEST}: it may be in another zone",
        )
