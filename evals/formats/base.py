"""What an importer of a public format is, and how it writes a case so that the truth stays out of the bundle."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from ...contracts.errors import DatasetError
from ...contracts.incident import Incident
from ..dataset import BUNDLE
from ..expected import FILE_NAME, Expected, to_yaml, write_expected
from .tables import TableWriter


class ImportSummary(NamedTuple):
    format: str
    cases: int
    notes: tuple[str, ...] = ()
    """What was skipped, repaired or flagged, each with the case that it belongs to."""


class Importer(Protocol):
    """Reads one public collection; the same source gives the same bytes."""

    @property
    def name(self) -> str: ...

    @property
    def describes(self) -> str:
        """One line for the help text: which collection, and what `SRC` must be."""
        ...

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        """Write every case of `src` (or the first `limit`) below `out`; raise `DatasetError` where `src` is not it."""
        ...


@dataclass(frozen=True, kw_only=True)
class CaseDraft:
    """A case under way: its bundle's folder and the writer of its tables."""

    name: str
    bundle: Path
    tables: TableWriter

    def document(self, name: str, body: str) -> None:
        """`name` is a path inside `documents/`."""
        path = self.bundle / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")

    def incident(self, incident: Incident) -> None:
        fields = incident.model_dump(mode="json", exclude_defaults=True)
        (self.bundle / "incident.yaml").write_text(to_yaml(fields), encoding="utf-8")

    def expect(self, expected: Expected) -> None:
        write_expected(self.bundle.parent / FILE_NAME, expected)


def case_name(format_name: str, number: int) -> str:
    """A name that tells nothing: `petshop-0007`."""
    return f"{format_name}-{number:04d}"


@contextmanager
def new_case(out: Path, name: str) -> Iterator[CaseDraft]:
    """A case that appears under `out` only when it is whole."""
    final, partial = out / name, out / f".{name}.partial"
    if final.exists():
        raise DatasetError(f"{str(final)!r} exists already", hint="import into an empty folder")
    shutil.rmtree(partial, ignore_errors=True)
    bundle = partial / BUNDLE
    bundle.mkdir(parents=True)
    try:
        with TableWriter(bundle) as tables:
            yield CaseDraft(name=name, bundle=bundle, tables=tables)
        partial.rename(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def need(path: Path, format_name: str, what: str) -> Path:
    """`path`, which must exist for `SRC` to be this format."""
    if not path.exists():
        raise DatasetError(f"this is no {format_name} collection: {str(path)!r} is missing", why=what)
    return path
