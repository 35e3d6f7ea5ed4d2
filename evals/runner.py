"""Runs every case with every version, model and trial as a real run, and scores it; goes on after a kill."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ..contracts.approval import ApprovalRequest
from ..contracts.errors import LeadlineError, StoreError, UsageError
from ..contracts.report import IncidentReport
from ..graph.versions import structure_hash, version
from ..prompts.catalog import prompt_hashes
from ..runtime.outcome import PersonAnswer, RunOutcome, StartRequest
from ..runtime.service import RunService, open_service
from ..runtime.settings import Settings
from ..runtime.wiring import Parts
from .dataset import Case, load_dataset
from .matrix import matrix
from .plan import Cell, EvalSpec, Evaluation, code_digest, data_digest, measure_versions
from .progress import Progress, Tally
from .records import RunRecords, read_records
from .results import CellResult, ResultStore, Verdict
from .scorers import score
from .scorers.evidence import Records
from .validation import require_valid

SCRATCH = "scratch.db"
NOTHING_SAID: dict[str, Any] = {"outcome": "inconclusive", "causes": []}
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class EvalRequest:
    dataset: Path
    graphs: tuple[str, ...]
    models: tuple[str, ...] = ("rules",)
    trials: int = 1
    tags: Mapping[str, str] = field(default_factory=dict)
    """Only cases that carry all of these, such as split=dev."""
    team: Path | None = None
    jobs: int = 2
    """Cells at work at the same time."""
    keep_runs: bool = False
    """Keep the runs in the database; otherwise they live in a file beside the results and are dropped at the end."""
    reuse: bool = False
    """Take a finished evaluation of exactly this instead of a new one."""
    check: bool = True
    """Refuse a data set that leaks or cannot be answered."""


class EvalOutcome(NamedTuple):
    evaluation: Evaluation
    results: tuple[CellResult, ...]
    continued: bool
    """Whether cells of an earlier call were taken over."""


def _unwatched(_progress: Progress) -> None:
    """For callers who do not follow along."""


async def run_dataset(
    request: EvalRequest,
    settings: Settings,
    watch: Callable[[Progress], None] = _unwatched,
    *,
    parts: Parts | None = None,
) -> EvalOutcome:
    """Run what is missing of an evaluation; the same call after a kill runs the rest only.

    Raises:
        DatasetError: the data set cannot be trusted.
        UsageError: an unknown graph version or model.
        StoreError: the database or the results cannot be written; what is finished stays.
    """
    for graph in request.graphs:
        version(graph)
    if request.check:
        await asyncio.to_thread(require_valid, request.dataset)
    cases = load_dataset(request.dataset, tags=request.tags)
    spec = _spec(request, cases)
    store = ResultStore(settings.database)
    evaluation, continued = store.begin(spec, datetime.now(UTC), _versions(request.graphs), reuse=request.reuse)
    finished = {result.cell.key for result in store.results(evaluation.evaluation_id)}
    missing = [cell for cell in spec.cells(cases) if cell.key not in finished]
    database = settings.database if request.keep_runs else store.folder(evaluation.evaluation_id) / SCRATCH
    async with open_service(settings.model_copy(update={"database": database}), parts) as service:
        for model in request.models:
            await service.choose_model(model)
        bench = _Bench(service, request, {case.name: case for case in cases})
        tally = Tally(total=len(finished) + len(missing), done=len(finished))
        await _run_all(bench, missing, lambda result: _take(store, evaluation, tally, watch, result))
    store.finish(evaluation.evaluation_id)
    if not request.keep_runs:
        store.drop(evaluation.evaluation_id, SCRATCH)
    return EvalOutcome(evaluation, store.results(evaluation.evaluation_id), continued)


def _spec(request: EvalRequest, cases: Sequence[Case]) -> EvalSpec:
    if request.trials < 1 or request.jobs < 1:
        raise UsageError("an evaluation needs at least one trial and one job")
    return EvalSpec(
        dataset=str(request.dataset.resolve()),
        data=data_digest(cases),
        tags=dict(request.tags),
        graphs=request.graphs,
        models=request.models,
        trials=request.trials,
        team=str(request.team.resolve()) if request.team else "",
        code=code_digest(),
        measures=measure_versions(),
    )


def _versions(graphs: Sequence[str]) -> dict[str, Any]:
    return {"structure": {graph: structure_hash(graph) for graph in graphs}, "prompts": dict(prompt_hashes())}


def _take(
    store: ResultStore, evaluation: Evaluation, tally: Tally, watch: Callable[[Progress], None], result: CellResult
) -> None:
    store.add(evaluation.evaluation_id, result)
    watch(tally.took(result))


async def _run_all(bench: "_Bench", cells: Sequence[Cell], take: Callable[[CellResult], None]) -> None:
    """A fixed number of workers over one queue, so that memory does not grow with the number of cells."""
    waiting = iter(cells)

    async def worker() -> None:
        for cell in waiting:
            take(await bench.run(cell))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(bench.request.jobs):
                group.create_task(worker())
    except BaseExceptionGroup as group_of_one:
        raise group_of_one.exceptions[0] from None


class _Bench:
    """Where one cell is run and scored."""

    def __init__(self, service: RunService, request: EvalRequest, cases: Mapping[str, Case]) -> None:
        self.request = request
        self._service = service
        self._cases = cases

    async def run(self, cell: Cell) -> CellResult:
        case = self._cases[cell.case]
        began = time.monotonic()
        try:
            outcome = await self._investigate(case.bundle, cell)
        except StoreError:
            raise
        except Exception as fault:  # noqa: BLE001 - a cell that fails is a result, and the others must still run
            return _failed(cell, case, fault, time.monotonic() - began)
        spent = time.monotonic() - began
        records = await read_records(self._service.store.reader(outcome.run.run_id))
        result = _scored(cell, case, outcome, records)
        return result.model_copy(update={"seconds": spent, "overhead": time.monotonic() - began - spent})

    async def _investigate(self, bundle: Path, cell: Cell) -> RunOutcome:
        """The run is handed the bundle's folder and nothing else of the case."""
        outcome = await self._service.start(
            StartRequest(bundle=bundle, graph=cell.graph, model=cell.model, team=self.request.team, evaluation=True)
        )
        while outcome.waiting is not None:
            outcome = await self._service.resume(outcome.run.run_id, _absent_person(outcome.waiting))
        return outcome


def _absent_person(request: ApprovalRequest) -> PersonAnswer:
    """Nobody is there to ask: plans and reports pass as proposed, anything that acts on the world does not."""
    if request.point in {"plan", "report"}:
        return PersonAnswer(request.approval_id, "approved", "evaluation: as proposed")
    return PersonAnswer(request.approval_id, "rejected", "evaluation: nothing is acted upon")


def _scored(cell: Cell, case: Case, outcome: RunOutcome, records: RunRecords) -> CellResult:
    report = outcome.report
    said = report.model_dump(mode="json", by_alias=True) if report is not None else NOTHING_SAID
    behind = Records({claim.id: claim for claim in records.claims}, {seen.id: seen for seen in records.observations})
    without = {**said, **said["without_model"]} if report is not None else NOTHING_SAID
    return CellResult(
        cell=cell,
        run=outcome.run.run_id,
        state="concluded" if report is not None else "failed",
        error="" if report is not None else f"run is {outcome.run.state}: {outcome.run.reason}",
        model=outcome.run.config.model,
        verdict=_verdict(report),
        scores=score(said, case.expected, behind),
        without_model=score(without, case.expected, behind),
        matrix=matrix(records),
        degraded=len(report.degraded) if report is not None else 0,
        tags=case.expected.tags,
    )


def _verdict(report: IncidentReport | None) -> Verdict:
    if report is None:
        return Verdict(outcome="inconclusive")
    shown = {"kind", "ref", "service", "reason", "confidence"}
    return Verdict(
        outcome=report.outcome,
        causes=tuple(cause.model_dump(mode="json", include=shown) for cause in report.causes[:SHOWN]),
    )


def _failed(cell: Cell, case: Case, fault: Exception, seconds: float) -> CellResult:
    why = str(fault) if isinstance(fault, LeadlineError) else f"{type(fault).__name__}: {fault}"
    return CellResult(
        cell=cell,
        state="failed",
        error=why[:500],
        model=cell.model,
        verdict=Verdict(outcome="inconclusive"),
        scores=score(NOTHING_SAID, case.expected),
        seconds=seconds,
        tags=case.expected.tags,
    )
