"""`leadline eval`: run data sets against graph versions, and compare what came of it."""

from pathlib import Path
from typing import Annotated

import typer

from ...contracts.errors import UsageError
from ...runtime.settings import seal_process
from ..console import line, output
from ..documents import write_document
from ..evaluations import show_comparison, show_evaluation, told, untold
from ..listing import Row, show_list
from ..times import utc
from . import exit_codes
from .lazy import command_app
from .options import ListForm, RunArgument
from .session import session_of
from .signals import run_async

app = command_app(help="Run data sets against graph versions, compare what came of it.")
Evaluation = Annotated[str, typer.Argument(metavar="EVALUATION", help="Id, or its beginning.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one HTML page too.", show_default=False)
]


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
    watch = untold if session.quiet else told
    outcome = run_async(api.run_dataset(request, settings, watch))
    shown = run_async(api.show(settings, outcome.evaluation.evaluation_id))
    if html is not None:
        write_document(run_async(api.page(settings, outcome.evaluation.evaluation_id)), html)
    show_evaluation(shown, form)
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
    show_evaluation(shown, form)


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
    show_comparison(compared, form)
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
