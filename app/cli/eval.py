"""`leadline eval`: run data sets against graph versions, and compare what came of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import JsonValue

from ...contracts.errors import UsageError
from ...runtime.settings import seal_process
from ..console import Hanging, heading, items, line, output, talk, text
from ..documents import write_document
from ..listing import ListFormat, Row, aligned, as_json, as_yaml, show_list
from ..times import utc
from . import exit_codes
from .lazy import command_app
from .options import ListForm, RunArgument
from .session import session_of
from .signals import run_async

if TYPE_CHECKING:  # loads LangGraph, which the seal must precede
    from ...evals.api import Shown
    from ...evals.compare import Comparison
    from ...evals.progress import Progress

T = TypeVar("T")
app = command_app(help="Run data sets against graph versions, compare what came of it.")
Evaluation = Annotated[str, typer.Argument(metavar="EVALUATION", help="Id, or its beginning.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one HTML page too.", show_default=False)
]
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


@app.command("run")
def run_(
    context: typer.Context,
    *,
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of cases.")],
    graph: Annotated[
        list[str] | None, typer.Option(help="Graph version; may be given again.", show_default="the setting")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="`rules` or `ollama:NAME`; may be given again.", show_default="rules")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Runs of each case.")] = 1,
    split: Annotated[str | None, typer.Option(help="Only cases tagged split=NAME.", show_default=False)] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Only cases with this tag; may be given again.", show_default=False),
    ] = None,
    team: Annotated[Path | None, typer.Option(help="Team file.", show_default=False)] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cases at work at the same time.")] = 2,
    keep_runs: Annotated[bool, typer.Option("--keep-runs", help="Keep the runs in the database.")] = False,
    html: Html = None,
    form: ListForm = "table",
) -> int:
    """Run every case with every version, model and trial; the same command after a kill runs the rest."""
    seal_process()
    from ...evals import api  # noqa: PLC0415 it loads LangGraph, which the seal must precede

    session = session_of(context)
    settings = session.settings()
    request = api.EvalRequest(
        dataset=dataset, graphs=tuple(graph or [settings.graph]), models=tuple(model or ["rules"]), trials=trials,
        tags=_tags(tag or [], split), team=team, jobs=jobs, keep_runs=keep_runs,
    )  # fmt: skip
    watch = _quiet if session.quiet else _told
    outcome = run_async(api.run_dataset(request, settings, watch))
    shown = run_async(api.show(settings, outcome.evaluation.evaluation_id))
    if html is not None:
        write_document(run_async(api.page(settings, outcome.evaluation.evaluation_id)), html)
    _show(shown, form)
    return exit_codes.FAILED if any(r.state == "failed" for r in outcome.results) else exit_codes.OK


@app.command("list")
def list_(context: typer.Context, *, form: ListForm = "table") -> None:
    """List the evaluations, newest first."""
    seal_process()
    from ...evals import api  # noqa: PLC0415

    rows: list[Row] = [
        {
            "evaluation": each.evaluation.evaluation_id,
            "state": "finished" if each.finished else "begun",
            "cells": each.done,
            "started": utc(each.evaluation.started_at),
            "graphs": list(each.evaluation.spec.graphs),
            "models": list(each.evaluation.spec.models),
            "dataset": each.evaluation.spec.dataset,
        }
        for each in run_async(api.evaluations(session_of(context).settings()))
    ]
    columns = {
        name.upper(): name for name in ("evaluation", "state", "cells", "started", "graphs", "models", "dataset")
    }
    show_list("evaluations", rows, columns, form, empty="nothing has been evaluated yet")


@app.command()
def show(
    context: typer.Context,
    *,
    evaluation: Evaluation,
    by: Annotated[str, typer.Option(metavar="TAG", help="Group by a tag of the cases: fault, system, day.")] = "",
    html: Html = None,
    form: ListForm = "table",
) -> None:
    """Show what an evaluation measured."""
    seal_process()
    from ...evals import api  # noqa: PLC0415

    settings = session_of(context).settings()
    shown = run_async(api.show(settings, evaluation, by=by))
    if html is not None:
        write_document(run_async(api.page(settings, evaluation)), html)
    _show(shown, form)


@app.command()
def compare(
    context: typer.Context,
    *,
    a: Annotated[str, typer.Argument(metavar="A", help="EVALUATION, EVALUATION:GRAPH or EVALUATION:GRAPH:MODEL.")],
    b: Annotated[str, typer.Argument(metavar="B", help="What is held against A.")],
    policy: Annotated[
        Path | None, typer.Option(help="What may get worse by how much.", show_default="the shipped one")
    ] = None,
    fail_on_regression: Annotated[
        bool, typer.Option("--fail-on-regression", help="Exit 1 where B is worse than the policy allows.")
    ] = False,
    html: Html = None,
    form: ListForm = "table",
) -> int:
    """Compare two versions case by case."""
    seal_process()
    from ...evals import api  # noqa: PLC0415

    settings = session_of(context).settings()
    compared = run_async(api.compare(settings, a, b, policy=policy))
    if html is not None:
        write_document(run_async(api.page(settings, a, b, policy=policy)), html)
    _show_comparison(compared, form)
    return exit_codes.FAILED if fail_on_regression and compared.regressions else exit_codes.OK


@app.command()
def check(*, dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of cases.")]) -> int:
    """Say what makes a data set untrustworthy: leaks, duplicates, answers that cannot be given, missing files."""
    from ...evals.validation import check_dataset  # noqa: PLC0415

    problems = check_dataset(dataset)
    console = output()
    for problem in problems:
        console.print(line(str(problem)), soft_wrap=True)
    if not problems:
        console.print(line("no problem found"))
    return exit_codes.FAILED if problems else exit_codes.OK


@app.command()
def add(
    context: typer.Context,
    *,
    run: RunArgument,
    expect: Annotated[Path, typer.Option(metavar="FILE", help="What is expected, as an expected.yaml.")],
    to: Annotated[Path, typer.Option(metavar="DATASET", help="Folder of cases; it is created.")],
) -> None:
    """Make a run a case: its bundle is copied into a data set, with the answer beside it."""
    from ...evals.adding import add_case  # noqa: PLC0415

    case = run_async(add_case(session_of(context).settings(), run, to, expect))
    output().print(line(f"{case.name} is in {to}"), soft_wrap=True)


@app.command()
def replay(context: typer.Context, *, run: RunArgument, form: ListForm = "table") -> int:
    """Run a recorded run again with what its model answered then; say where the decisions part.

    The exit code is 0 where they do not part, and 1 where they do.
    """
    seal_process()
    from ...evals.replay import replay as replayed  # noqa: PLC0415

    found = run_async(replayed(session_of(context).settings(), run))
    rows: list[Row] = [p._asdict() for p in found.partings]
    if form == "table":
        told = f"{found.answered} questions had a recorded answer, {found.unanswered} had none"
        output().print(line(f"{found.before} again as {found.after}: {told}"), soft_wrap=True)
    columns = {name.upper(): name for name in (rows[0] if rows else ())}
    show_list("partings", rows, columns, form, empty="the decisions are the same")
    return exit_codes.FAILED if rows else exit_codes.OK


def _tags(given: list[str], split: str | None) -> dict[str, str]:
    tags = {"split": split} if split else {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise UsageError(f"--tag {each!r} is no NAME=VALUE", hint="--tag fault=cache")
        tags[name] = value
    return tags


def _quiet(_progress: "Progress") -> None:
    """With --quiet."""


def _told(progress: "Progress") -> None:
    left = "" if progress.eta is None else f", about {progress.eta:.0f} s left"
    last = progress.last
    right = last.scores.get("right")
    verdict = last.error or ("right" if right == 1 else "wrong" if right == 0 else last.verdict.outcome)
    failed = f", {progress.failed} failed" if progress.failed else ""
    cell = f"{last.cell.case} {last.cell.graph} {last.model}: {verdict}"
    talk().print(
        line(f"{progress.done}/{progress.total}{failed}, {progress.elapsed:.0f} s{left}  {cell}"), soft_wrap=True
    )


def _show(shown: "Shown", form: ListFormat) -> None:
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


def _show_comparison(compared: "Comparison", form: ListFormat) -> None:
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
