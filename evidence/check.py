"""What `leadline bundle check` shows: data only, every text of it redacted."""

from datetime import datetime
from pathlib import Path

from ..contracts.base import Contract, Digest
from ..contracts.evidence import Source, SourceCoverage
from ..contracts.incident import Incident, TimeWindow
from .opened import open_bundle


class CheckedFile(Contract):
    name: str
    source: Source
    size: int
    lines: int
    """0 for Parquet."""
    sha256: Digest


class CheckResult(Contract):
    path: str
    digest: Digest
    incident: Incident
    window: TimeWindow | None
    """The incident's, else what the data spans."""
    split_at: datetime | None
    """Where questions part before from after, if they do not say."""
    split_told: bool
    """Whether that comes from the incident; else it is the middle of the window."""
    coverage: tuple[SourceCoverage, ...]
    files: tuple[CheckedFile, ...]
    ignored: tuple[str, ...]
    """Files that belong to no source."""
    services: tuple[str, ...]
    probes: tuple[str, ...]
    """What can be asked of it."""

    @property
    def complete(self) -> bool:
        """Whether everything that is there could be read to its end."""
        return all(c.status in {"ok", "missing"} for c in self.coverage)


def check(path: Path) -> CheckResult:
    """Raise BundleError for a bundle that cannot be investigated at all."""
    opened = open_bundle(path)
    try:
        periods = opened.tables().periods()
        text = opened.redactor.identifier
        return CheckResult(
            path=text(str(opened.content.root)),
            digest=opened.bundle_digest,
            incident=opened.incident,
            window=opened.tables().window,
            split_at=periods.split if periods else None,
            split_told=bool(periods and periods.told),
            coverage=opened.coverage(),
            files=tuple(
                CheckedFile(
                    name=text(file.name),
                    source=file.source,
                    size=file.size,
                    lines=found.lines,
                    sha256=Digest(found.sha256),
                )
                for file, found in opened.content.files
            ),
            ignored=tuple(map(text, opened.content.ignored)),
            services=opened.services(),
            probes=tuple(spec.name for spec in opened.probes()),
        )
    finally:
        opened.close()
