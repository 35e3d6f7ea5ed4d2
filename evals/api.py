"""What the command line and the web ask of evaluations: run, list, show, compare, page, add a case, replay."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..runtime.settings import Settings
from .adding import add_case
from .compare import Comparison, Side, compare_sides, side
from .page import comparison_page, evaluation_page
from .plan import Evaluation
from .policy import load_policy
from .replay import Replay, replay
from .results import CellResult, ResultStore
from .runner import EvalOutcome, EvalRequest, run_dataset
from .summary import Group, VersionSummary, by_version, grouped, summarize

__all__ = [
    "EvalOutcome",
    "EvalRequest",
    "Listed",
    "Replay",
    "Shown",
    "add_case",
    "compare",
    "evaluations",
    "page",
    "replay",
    "run_dataset",
    "show",
]


class Listed(NamedTuple):
    evaluation: Evaluation
    done: int
    finished: bool


class Shown(NamedTuple):
    evaluation: Evaluation
    finished: bool
    versions: tuple[VersionSummary, ...]
    groups: tuple[Group, ...]
    """By the tag that was asked for; empty where none was."""
    results: tuple[CellResult, ...]


async def evaluations(settings: Settings) -> tuple[Listed, ...]:
    """Newest first."""

    def read() -> tuple[Listed, ...]:
        store = ResultStore(settings.database)
        return tuple(
            Listed(e, len(store.results(e.evaluation_id)), store.is_finished(e.evaluation_id))
            for e in store.evaluations()
        )

    return await asyncio.to_thread(read)


async def show(settings: Settings, evaluation_id: str, *, by: str = "") -> Shown:
    """An evaluation's figures, of the cells that are done so far; grouped by a tag where one is named."""
    return await asyncio.to_thread(_show, settings, evaluation_id, by)


async def compare(settings: Settings, a: str, b: str, *, policy: Path | None = None) -> Comparison:
    """`EVALUATION`, `EVALUATION:GRAPH` or `EVALUATION:GRAPH:MODEL`, twice; with what regressed under the policy.

    Raises:
        UsageError: a side that is unknown or ambiguous, sides that cannot be compared, a policy that does not hold.
    """
    return await asyncio.to_thread(_compare, settings, a, b, policy)


async def page(settings: Settings, evaluation_id: str, against: str = "", *, policy: Path | None = None) -> str:
    """One self-contained HTML page: of an evaluation, or of a comparison where a second one is named."""
    if against:
        return comparison_page(await compare(settings, evaluation_id, against, policy=policy))
    shown = await show(settings, evaluation_id, by="fault")
    return evaluation_page(shown.evaluation, shown.versions, shown.groups, shown.results)


def _show(settings: Settings, evaluation_id: str, by: str) -> Shown:
    store = ResultStore(settings.database)
    evaluation = store.evaluation(evaluation_id)
    results = store.results(evaluation.evaluation_id)
    return Shown(
        evaluation=evaluation,
        finished=store.is_finished(evaluation.evaluation_id),
        versions=summarize(results),
        groups=grouped(results, by) if by else (),
        results=results,
    )


def _compare(settings: Settings, a: str, b: str, policy: Path | None) -> Comparison:
    store = ResultStore(settings.database)
    first, _ = _side(store, a)
    second, rows = _side(store, b)
    return compare_sides(first, second, load_policy(policy), by_version(rows))


def _side(store: ResultStore, named: str) -> tuple[Side, Sequence[CellResult]]:
    evaluation_id, _, rest = named.partition(":")
    graph, _, model = rest.partition(":")
    evaluation = store.evaluation(evaluation_id)
    results = store.results(evaluation.evaluation_id)
    return side(evaluation, results, graph, model), results
