"""`leadline graph`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ...runtime.settings import seal_process
from ...runtime.team import load_team
from ..listing import show_list
from .lazy import command_app
from .options import ListForm
from .session import session_of

app = command_app()


@app.command()
def graph(
    context: typer.Context,
    *,
    name: Annotated[str | None, typer.Argument(metavar="[VERSION]", show_default=False, help="Draw this one.")] = None,
    drawing: Annotated[
        Literal["text", "mermaid", "svg", "html"],
        typer.Option("--format", help="How it is drawn; all but text show the contracts on each arrow."),
    ] = "text",
    team: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Team file, for human points and fuses; else the shipped team.")
    ] = None,
    form: ListForm = "table",
) -> None:
    """Show the graph versions, or draw one."""
    seal_process()
    from ...graph import versions  # noqa: PLC0415 it loads LangGraph, which the seal must precede

    if name is None:
        rows = [
            {"version": v.name, "topology": v.topology, "structure": versions.structure_hash(v.name)[:12],
             "description": v.description}
            for v in versions.VERSIONS.values()
        ]  # fmt: skip
        columns = {"VERSION": "version", "TOPOLOGY": "topology", "STRUCTURE": "structure", "WHAT": "description"}
        show_list("graphs", rows, columns, form)
    elif drawing != "text":
        from ...graph import diagram  # noqa: PLC0415 as above

        draw = {"mermaid": diagram.mermaid, "svg": diagram.svg, "html": diagram.html}[drawing]
        typer.echo(draw(name, load_team(team or session_of(context).settings().team)), nl=False)
    else:
        chosen = versions.version(name)
        typer.echo(f"{chosen.name}: {chosen.description}\nstructure {versions.structure_hash(name)}\n")
        drawn = versions.compile_version(name, None).get_graph()
        for node in drawn.nodes:
            after = [f"{e.target}{' (if due)' if e.conditional else ''}" for e in drawn.edges if e.source == node]
            if after:
                typer.echo(f"  {node} -> {', '.join(after)}")
