"""A bundle that was opened: the `Evidence` port over its tables."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..contracts.base import Digest
from ..contracts.claim import Claim
from ..contracts.evidence import SOURCES, Answer, ProbeCall, ProbeSpec, SourceCoverage
from ..contracts.incident import CauseRef, Incident
from ..contracts.ports import Analyst
from ..contracts.report import ChartSeries, Ranking
from .analysts import all_analysts
from .bundle.content import Content, read_content
from .charts import charts
from .passages import passages
from .probes.base import Params, Probe
from .probes.registry import all_probes
from .ranking import rank
from .ranking.separating import separating
from .redaction import Redactor
from .split import default_split
from .tables import Tables

ASK_SECONDS = 600.0
"""A question over files of gigabytes on a busy machine takes minutes; what takes longer is stopped."""
MAX_SERVICES = 500


def open_bundle(path: Path, *, writable: Path | None = None, xz: bool = False) -> "OpenedBundle":
    """Read and check a bundle's folder; raise BundleError for one that cannot be investigated."""
    return OpenedBundle(read_content(path, writable=writable, xz=xz))


class OpenedBundle:
    """Answers questions over one bundle. Everything that leaves passes the redactor first."""

    def __init__(self, content: Content) -> None:
        self.content = content
        """As it lies on disk, nothing masked: for packing and checking."""
        self.redactor = Redactor(content.redaction_key)
        self._incident = self.redactor.incident(content.incident)
        self._coverage = content.coverage
        self._split: datetime | None = default_split(content.incident, content.coverage)
        self._services: tuple[str, ...] | None = None

    @property
    def incident(self) -> Incident:
        return self._incident

    @property
    def bundle_digest(self) -> Digest:
        return self.content.digest

    def coverage(self) -> tuple[SourceCoverage, ...]:
        return tuple(
            found.model_copy(update={"notes": tuple(map(self.redactor.text, found.notes))})
            for found in (self._coverage[source] for source in SOURCES)
        )

    def services(self) -> tuple[str, ...]:
        if self._services is None:
            rows = self.tables().rows(
                "SELECT DISTINCT service FROM (SELECT service FROM metrics UNION ALL SELECT service FROM logs "
                "UNION ALL SELECT service FROM spans UNION ALL SELECT caller FROM edges "
                "UNION ALL SELECT callee FROM edges) "
                "WHERE service <> '' ORDER BY service LIMIT ?",
                [MAX_SERVICES],
            )
            self._services = tuple(self.redactor.identifier(name) for (name,) in rows)
        return self._services

    def tables(self) -> Tables:
        """For one question, in one thread."""
        return Tables(self.content.connection.cursor(), self.content.incident, self._coverage, self._split)

    def probes(self) -> tuple[ProbeSpec, ...]:
        return tuple(probe.spec for probe in all_probes().values() if self._can_answer(probe))

    async def ask(self, call: ProbeCall) -> Answer:
        probe = all_probes().get(call.probe)
        if probe is None:
            return Answer(status="denied", note=f"no probe is called {call.probe[:80]!r}")
        try:
            params = probe.params.model_validate(call.params)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            return Answer(status="denied", note=self.redactor.text(f"{probe.name}: {where}: {first['msg']}"[:300]))
        if not self._can_answer(probe):
            return Answer(status="empty", note=f"the bundle holds no {' or '.join(probe.sources)}")
        tables = self.tables()
        try:
            return await asyncio.wait_for(asyncio.to_thread(self._answer, probe, tables, params), ASK_SECONDS)
        except TimeoutError:
            tables.interrupt()
            return Answer(status="failed", note=f"{probe.name} took longer than {ASK_SECONDS:.0f} s")

    def analysts(self) -> tuple[Analyst, ...]:
        return all_analysts([probe.name for probe in all_probes().values() if self._can_answer(probe)])

    def rank(self, claims: Sequence[Claim]) -> Ranking:
        return rank(claims, self._incident)

    def separating(self, ranking: Ranking, asked: Sequence[ProbeCall]) -> tuple[ProbeCall, ...]:
        return separating(ranking, asked, [probe.name for probe in all_probes().values() if self._can_answer(probe)])

    async def source_text(self, cause: CauseRef) -> tuple[str, ...]:
        return await asyncio.to_thread(passages, self.tables(), self.redactor, cause)

    async def charts(self, ranking: Ranking, claims: Sequence[Claim]) -> tuple[ChartSeries, ...]:
        found = await asyncio.to_thread(charts, self.tables(), ranking, claims)
        return tuple(c.model_copy(update={"label": self.redactor.identifier(c.label)}) for c in found)

    def close(self) -> None:
        self.content.close()

    def _can_answer(self, probe: Probe[Any]) -> bool:
        return not probe.sources or any(self._coverage[source].rows for source in probe.sources)

    def _answer(self, probe: Probe[Any], tables: Tables, params: Params) -> Answer:
        try:
            return self.redactor.answer(probe.answer(tables, params))
        except Exception as error:  # noqa: BLE001  # the probe boundary: what data does to a probe is an answer
            why = str(error).strip().split("\n", 1)[0][:200]
            return Answer(status="failed", note=self.redactor.text(f"{probe.name}: {type(error).__name__}: {why}"))
