"""`leadline investigate`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ...contracts.team import HumanPointName
from ...runtime.outcome import StartRequest
from .ending import finish, see_through
from .lazy import command_app
from .options import NoWait, OutFile, ReportForm
from .running import resume, start
from .session import session_of

app = command_app()


class AskAt(StrEnum):
    """Where a person can be asked; Typer takes no list of literals."""

    PLAN = "plan"
    REPORT = "report"
    DECISION = "decision"
    ACTION = "action"


@app.command()
def investigate(
    context: typer.Context,
    *,
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder with an incident.yaml and its telemetry.")],
    graph: Annotated[str | None, typer.Option(metavar="VERSION", help="Graph version; see: leadline graph.")] = None,
    model: Annotated[
        str | None, typer.Option(help="`ollama:NAME` or `rules`; without it Ollama where it has a model, else rules.")
    ] = None,
    team: Annotated[Path | None, typer.Option(metavar="FILE", help="Team file; without it the shipped team.")] = None,
    ask: Annotated[
        list[AskAt] | None,
        typer.Option(help="Stop and ask a person there, whatever the team file says; may be repeated."),
    ] = None,
    act: Annotated[
        bool, typer.Option("--act", help="Propose actions from the catalog, and carry out those that you approve.")
    ] = False,
    catalog: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Catalog of actions; without it the shipped one, which only pretends."),
    ] = None,
    no_wait: NoWait = False,
    max_seconds: Annotated[float | None, typer.Option(help="Wall-clock seconds for the whole run.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Model tokens for the whole run.")] = None,
    max_probes: Annotated[int | None, typer.Option(help="Questions to the data for each task.")] = None,
    form: ReportForm = "table",
    out: OutFile = None,
) -> int:
    """Investigate a bundle and report what broke it.

    The first line on stderr says who answers the questions, a model or the rules, and why.
    """
    session = session_of(context)
    settings = session.settings(max_seconds=max_seconds, max_tokens=max_tokens, max_probes=max_probes, actions=catalog)
    points: frozenset[HumanPointName] = frozenset(at.value for at in ask or ())
    request = StartRequest(
        bundle=bundle,
        graph=graph,
        model=model,
        team=team,
        ask=points,
        act="act" if act or "action" in points else None,
    )
    outcome = start(session, settings, request)
    run_id = outcome.run.run_id
    outcome = see_through(outcome, lambda answer: resume(session, settings, run_id, answer), no_wait=no_wait)
    return finish(outcome, form, out)
