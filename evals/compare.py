"""One version against another, paired by case: figures, the cases that changed, and a verdict in words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..contracts.errors import UsageError
from .plan import Evaluation
from .policy import Regression, RegressionPolicy, regressions
from .results import CellResult
from .scorers import MEASURES
from .statistics import Paired, paired
from .summary import NO_MODEL, Version, by_version, per_case

GAINS = ("ac@1", "right", "grounded")
"""A version has to be better in one of these to be worth more tokens or time."""
COSTS = ("tokens", "seconds")
COSTLY = 0.1
"""A mean that grows by less than a tenth is no cost worth a word."""
BASELINE = "single@1"


class Side(NamedTuple):
    """One version of one evaluation."""

    evaluation: Evaluation
    version: Version
    results: tuple[CellResult, ...]

    @property
    def label(self) -> str:
        return f"{self.evaluation.evaluation_id}:{self.version.graph}:{self.version.model}"


class Changed(NamedTuple):
    """A case whose verdict is right on one side only."""

    case: str
    better: bool
    answer_a: str
    answer_b: str
    run_a: str
    run_b: str


class Comparison(NamedTuple):
    a: Side
    b: Side
    measures: dict[str, Paired]
    changed: tuple[Changed, ...]
    baselines: dict[str, dict[str, float]]
    """Means of the single-agent version and of the runs without a model, where there are any."""
    words: tuple[str, ...]
    regressions: tuple[Regression, ...]


def side(evaluation: Evaluation, results: Sequence[CellResult], graph: str = "", model: str = "") -> Side:
    """The version that is meant; raise `UsageError` where that is none or several."""
    versions = by_version(results)
    meant = [v for v in versions if graph in ("", v.graph) and model in ("", v.model)]
    if len(meant) != 1:
        names = ", ".join(str(version) for version in versions) or "none"
        raise UsageError(
            f"evaluation {evaluation.evaluation_id} holds {len(meant)} versions that fit",
            why=f"it has {names}",
            hint="name one as EVALUATION:GRAPH:MODEL",
        )
    return Side(evaluation, meant[0], tuple(versions[meant[0]]))


def compare_sides(
    a: Side, b: Side, policy: RegressionPolicy, others: Mapping[Version, Sequence[CellResult]] | None = None
) -> Comparison:
    """`others` are further versions of B's evaluation; the single-agent one among them is shown beside."""
    _refuse_apples_and_pears(a.evaluation, b.evaluation)
    compared = {name: pair for name in MEASURES if (pair := paired(_values(a, name), _values(b, name))) is not None}
    return Comparison(
        a=a,
        b=b,
        measures=compared,
        changed=tuple(_changed(a, b)),
        baselines=_baselines(a, b, others or {}),
        words=tuple(_words(a, b, compared)),
        regressions=regressions(compared, policy),
    )


def _refuse_apples_and_pears(a: Evaluation, b: Evaluation) -> None:
    if a.spec.data != b.spec.data:
        raise UsageError(
            f"{a.evaluation_id} and {b.evaluation_id} did not run on the same cases",
            why=f"{a.spec.dataset} against {b.spec.dataset}, or the data set has changed in between",
            hint="run both again on the data set as it is now",
        )
    differing = sorted(name for name in a.spec.measures if b.spec.measures.get(name) != a.spec.measures[name])
    if differing:
        raise UsageError(
            f"{a.evaluation_id} and {b.evaluation_id} were scored by different rules", why=", ".join(differing)
        )


def _values(of: Side, measure: str) -> dict[str, float]:
    return per_case(((row.cell.case, row.scores) for row in of.results), measure)


def _changed(a: Side, b: Side) -> list[Changed]:
    before, after = _values(a, "right"), _values(b, "right")
    first, second = _by_case(a), _by_case(b)
    return [
        Changed(
            case=case,
            better=after[case] > before[case],
            answer_a=_answer(first[case]),
            answer_b=_answer(second[case]),
            run_a=first[case].run,
            run_b=second[case].run,
        )
        for case in sorted(before.keys() & after.keys())
        if before[case] != after[case]
    ]


def _by_case(of: Side) -> dict[str, CellResult]:
    """The first trial of each case."""
    return {row.cell.case: row for row in sorted(of.results, key=lambda row: -row.cell.trial)}


def _answer(row: CellResult) -> str:
    if row.verdict.outcome != "cause_found" or not row.verdict.causes:
        return row.error or row.verdict.outcome
    first = row.verdict.causes[0]
    return f"{first['kind']} {first['ref']}" + (f" ({first['reason']})" if first.get("reason") else "")


def _baselines(a: Side, b: Side, others: Mapping[Version, Sequence[CellResult]]) -> dict[str, dict[str, float]]:
    shown = {
        f"{NO_MODEL} of {str(of.version)!r}": [(r.cell.case, r.without_model) for r in of.results] for of in (a, b)
    }
    single = {str(v): [(r.cell.case, r.scores) for r in rows] for v, rows in others.items() if v.graph == BASELINE}
    return {
        label: {name: sum(v.values()) / len(v) for name in MEASURES if (v := per_case(rows, name))}
        for label, rows in (single | shown).items()
    }


def _words(a: Side, b: Side, compared: Mapping[str, Paired]) -> list[str]:
    """What a reader should take away, from the figures alone."""
    gains = [
        name for name in GAINS if name in compared and compared[name].significant and compared[name].difference > 0
    ]
    losses = [
        name for name in GAINS if name in compared and compared[name].significant and compared[name].difference < 0
    ]
    dearer = [
        f"{_percent(compared[name])} more {name}"
        for name in COSTS
        if name in compared and compared[name].significant and _grew(compared[name]) > COSTLY
    ]
    said = []
    if gains:
        said.append(f"{b.version} is better than {a.version} in {', '.join(gains)}")
    if losses:
        said.append(f"{b.version} is worse than {a.version} in {', '.join(losses)}")
    if not gains and not losses:
        said.append(f"no significant difference between {a.version} and {b.version} in {', '.join(GAINS)}")
    if dearer and not gains:
        said.append(f"{b.version} costs {' and '.join(dearer)} without a significant gain")
    return said


def _grew(pair: Paired) -> float:
    return pair.difference / pair.mean_a if pair.mean_a else float(pair.difference > 0)


def _percent(pair: Paired) -> str:
    return f"{_grew(pair):.0%}" if pair.mean_a else f"{pair.difference:g}"
