"""What an evaluation shows, version by version."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .results import CellResult
from .statistics import Interval, bootstrap_mean

NO_MODEL = "no model"
HEADLINE = (
    "ac@1", "ac@3", "ac@5", "chance@1", "right", "grounded", "outcome", "false_alarm", "missed_abstention",
    "confident_wrong", "seconds",
)  # fmt: skip
"""Measures of the first table; all others follow."""


class Version(NamedTuple):
    graph: str
    model: str

    def __str__(self) -> str:
        return f"{self.graph} {self.model}"


class Mean(NamedTuple):
    value: float
    cases: int
    """Cases that the measure has something to say about."""
    interval: Interval


class VersionSummary(NamedTuple):
    version: Version
    cases: int
    cells: int
    failed: int
    degraded: int
    """Cells in which the rules had to answer in the model's place."""
    measures: dict[str, Mean]
    without_model: dict[str, Mean]
    matrix: dict[str, Mean]
    overhead: float
    """Seconds of evaluating over seconds of investigating."""


class Group(NamedTuple):
    """Cases of one tag value under one version."""

    version: Version
    value: str
    cases: int
    measures: dict[str, Mean]


def by_version(results: Sequence[CellResult]) -> dict[Version, list[CellResult]]:
    found: dict[Version, list[CellResult]] = {}
    for result in results:
        found.setdefault(Version(result.cell.graph, result.cell.model), []).append(result)
    return dict(sorted(found.items()))


def per_case(rows: Iterable[tuple[str, Mapping[str, float | None]]], measure: str) -> dict[str, float]:
    """Mean over trials by case; cases without the measure are left out."""
    values: dict[str, list[float]] = {}
    for case, scores in rows:
        value = scores.get(measure)
        if value is not None:
            values.setdefault(case, []).append(value)
    return {case: sum(found) / len(found) for case, found in sorted(values.items())}


def summarize(results: Sequence[CellResult]) -> tuple[VersionSummary, ...]:
    return tuple(_summary(version, rows) for version, rows in by_version(results).items())


def grouped(results: Sequence[CellResult], tag: str) -> tuple[Group, ...]:
    """Means by the value of a tag, for tables by fault kind, system or day."""
    groups: dict[tuple[Version, str], list[CellResult]] = {}
    for result in results:
        version = Version(result.cell.graph, result.cell.model)
        groups.setdefault((version, result.tags.get(tag, "")), []).append(result)
    return tuple(
        Group(version, value, len({row.cell.case for row in rows}), _means([(r.cell.case, r.scores) for r in rows]))
        for (version, value), rows in sorted(groups.items())
    )


def _summary(version: Version, rows: Sequence[CellResult]) -> VersionSummary:
    spent = sum(row.seconds for row in rows)
    return VersionSummary(
        version=version,
        cases=len({row.cell.case for row in rows}),
        cells=len(rows),
        failed=sum(row.state == "failed" for row in rows),
        degraded=sum(row.degraded > 0 for row in rows),
        measures=_means([(row.cell.case, row.scores) for row in rows]),
        without_model=_means([(row.cell.case, row.without_model) for row in rows]),
        matrix=_means([(row.cell.case, row.matrix) for row in rows]),
        overhead=sum(row.overhead for row in rows) / spent if spent else 0.0,
    )


def _means(rows: Sequence[tuple[str, Mapping[str, float | None]]]) -> dict[str, Mean]:
    names = list(dict.fromkeys(name for _, scores in rows for name in scores))
    found = {name: list(per_case(rows, name).values()) for name in names}
    return {name: Mean(sum(v) / len(v), len(v), bootstrap_mean(v)) for name, v in found.items() if v}
