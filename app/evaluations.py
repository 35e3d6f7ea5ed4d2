"""Evaluations and comparisons as text, JSON or YAML."""

from typing import TYPE_CHECKING

from pydantic import JsonValue

from .console import Hanging, heading, items, line, output, talk, text
from .documents import write_document
from .listing import ListFormat, Row, aligned, as_json, as_yaml

if TYPE_CHECKING:  # loads LangGraph, which the seal must precede
    from ..evals.api import Shown
    from ..evals.compare import Comparison
    from ..evals.progress import Progress

FIRST = (
    "cases",
    "ac@1",
    "ac@3",
    "ac@5",
    "chance@1",
    "grounded",
    "outcome",
    "false_alarm",
    "confident_wrong",
    "seconds",
)
"""Measures of the table; JSON has all of them."""


def untold(_progress: "Progress") -> None:
    """With --quiet."""


def told(progress: "Progress") -> None:
    left = "" if progress.eta is None else f", about {progress.eta:.0f} s left"
    last = progress.last
    right = last.scores.get("right")
    verdict = last.error or ("right" if right == 1 else "wrong" if right == 0 else last.verdict.outcome)
    failed = f", {progress.failed} failed" if progress.failed else ""
    cell = f"{last.cell.case} {last.cell.graph} {last.model}: {verdict}"
    talk().print(
        line(f"{progress.done}/{progress.total}{failed}, {progress.elapsed:.0f} s{left}  {cell}"), soft_wrap=True
    )


def show_evaluation(shown: "Shown", form: ListFormat) -> None:
    rows: list[Row] = [
        {
            "version": str(v.version),
            "cases": v.cases,
            "failed": v.failed,
            "degraded": v.degraded,
            "overhead": round(v.overhead, 4),
            "measures": {name: round(m.value, 4) for name, m in v.measures.items()},
            "intervals": {
                name: [round(m.interval.low, 4), round(m.interval.high, 4)] for name, m in v.measures.items()
            },
            "without_model": {name: round(m.value, 4) for name, m in v.without_model.items()},
            "matrix": {name: round(m.value, 4) for name, m in v.matrix.items()},
        }
        for v in shown.versions
    ]  # fmt: skip
    if form != "table":
        groups: list[JsonValue] = [
            {"version": str(g.version), "value": g.value, "cases": g.cases,
             "measures": {name: round(m.value, 4) for name, m in g.measures.items()}}
            for g in shown.groups
        ]  # fmt: skip
        document: dict[str, JsonValue] = {
            "schema": 1, "evaluation": shown.evaluation.evaluation_id, "finished": shown.finished,
            "dataset": shown.evaluation.spec.dataset, "versions": [dict(row) for row in rows], "groups": groups,
        }  # fmt: skip
        write_document(as_json(document) if form == "json" else as_yaml(document), None)
        return
    console = output()
    state = "" if shown.finished else ", not finished"
    console.print(
        line(f"{shown.evaluation.evaluation_id}: {shown.evaluation.spec.dataset}{state}", "bold"), soft_wrap=True
    )
    columns = {"VERSION": "version"} | {name.upper(): name for name in FIRST}
    lines = [_figures(str(v.version), v.cases, v.measures) for v in shown.versions]
    lines += [_figures(f"  {g.value or '(none)'}", g.cases, g.measures) for g in shown.groups]
    console.print(text(aligned(lines, columns)), soft_wrap=True)


def _figures(label: str, cases: int, measures: object) -> Row:
    found = {name: f"{m.value:.3f}" for name, m in dict(measures).items() if name in FIRST}  # type: ignore[call-overload]  # a mapping of means
    return {"version": label, **dict.fromkeys(FIRST, ""), **found, "cases": cases}


def show_comparison(compared: "Comparison", form: ListFormat) -> None:
    rows: list[Row] = [
        {
            "measure": name, "cases": p.cases, "a": round(p.mean_a, 4), "b": round(p.mean_b, 4),
            "difference": round(p.difference, 4), "low": round(p.interval.low, 4), "high": round(p.interval.high, 4),
            "better": p.better, "worse": p.worse, "p": round(p.p, 4),
        }
        for name, p in compared.measures.items()
    ]  # fmt: skip
    changed: list[Row] = [
        {"case": c.case, "better": c.better, "a": c.answer_a, "b": c.answer_b, "run_a": c.run_a, "run_b": c.run_b}
        for c in compared.changed
    ]
    if form != "table":
        document: dict[str, JsonValue] = {
            "schema": 1, "a": compared.a.label, "b": compared.b.label, "measures": [dict(r) for r in rows],
            "changed": [dict(r) for r in changed], "baselines": {k: dict(v) for k, v in compared.baselines.items()},
            "words": list(compared.words),
            "regressions": [
                {"measure": r.measure, "before": r.before, "after": r.after, "why": r.why} for r in compared.regressions
            ],
        }  # fmt: skip
        write_document(as_json(document) if form == "json" else as_yaml(document), None)
        return
    console = output()
    console.print(line(f"A {compared.a.label}", "bold"), soft_wrap=True)
    console.print(line(f"B {compared.b.label}", "bold"), soft_wrap=True)
    columns = {
        name.upper(): name
        for name in ("measure", "cases", "a", "b", "difference", "low", "high", "better", "worse", "p")
    }
    console.print(text(aligned(rows, columns)), soft_wrap=True)
    told = [line(words) for words in compared.words]
    told += [
        line(f"regression: {r.measure} {r.before:.3f} -> {r.after:.3f} ({r.why})", "bold red")
        for r in compared.regressions
    ]
    for each in items(told):
        console.print(each)
    if changed:
        console.print(heading("cases whose verdict changed"))
        for row in changed:
            better = "better" if row["better"] else "worse"
            console.print(Hanging("  ", line(f"{row['case']} {better}: {row['a']} -> {row['b']}")))
            console.print(Hanging("    ", line(f"leadline report {row['run_a']}; leadline report {row['run_b']}")))
