"""`leadline runs`."""

from typing import Annotated

import typer
from pydantic import JsonValue

from ...contracts.run import Run
from ..listing import show_list
from ..standing import standing
from ..times import utc
from .lazy import command_app
from .options import ListForm
from .session import session_of
from .work import read

app = command_app()
_COLUMNS = {
    "RUN": "run", "STATE": "state", "STARTED": "started", "GRAPH": "graph", "PROPOSER": "proposer", "INCIDENT": "title",
}  # fmt: skip


@app.command()
def runs(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    evaluation: Annotated[bool, typer.Option("--evaluation", help="Those of evaluations instead.")] = False,
    form: ListForm = "table",
) -> None:
    """List the runs, newest first."""
    found = read(session_of(context), lambda store: store.runs(limit=limit, evaluation=evaluation))
    rows = [_row(run, machine=form != "table") for run in found]
    show_list("runs", rows, _COLUMNS, form, empty="no runs yet; start one with: leadline investigate BUNDLE")


def _row(run: Run, *, machine: bool) -> dict[str, JsonValue]:
    config = run.config
    return {
        "run": run.run_id,
        "state": run.state if machine else standing(run),
        "held_by": run.holder,
        "started": run.created_at.isoformat().replace("+00:00", "Z") if machine else utc(run.created_at),
        "graph": config.graph_version,
        "proposer": config.model,
        "incident": config.incident_id,
        "title": config.title,
        "bundle": config.bundle_path,
        "reason": run.reason,
        "parent": run.parent,
    }
