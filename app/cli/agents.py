"""`leadline agents`."""

from pathlib import Path
from typing import Annotated

import typer

from ...rules.fuses import thresholds
from ...runtime.team import load_team
from ..listing import show_list
from .lazy import command_app
from .options import ListForm
from .session import session_of

app = command_app()
_COLUMNS = {
    "AGENT": "id", "WHAT": "description", "CAPABILITIES": "capabilities", "READS": "data_scopes", "PROBES": "probes",
    "AT ONCE": "max_concurrency", "MODEL": "uses_model", "FUSE": "fuse",
}  # fmt: skip


@app.command()
def agents(
    context: typer.Context,
    *,
    team: Annotated[Path | None, typer.Option(metavar="FILE", help="Team file; without it the shipped team.")] = None,
    form: ListForm = "table",
) -> None:
    """Show who is in the team, and what each may do."""
    chosen = load_team(team or session_of(context).settings().team)
    rows = [agent.model_dump(mode="json") for agent in chosen.agents]
    if form == "table":
        rows = [row | {"fuse": thresholds(agent.fuse)} for row, agent in zip(rows, chosen.agents, strict=True)]
        points = ", ".join(f"{p.name} {p.when.replace('_', ' ')}" for p in chosen.human_points) or "never"
        typer.echo(
            f"team {chosen.name} {chosen.version}, root owner {chosen.root_owner}; a person is asked: {points}\n"
        )
    show_list("agents", rows, _COLUMNS, form)
