"""`leadline graph`."""

from typing import Annotated, Literal

import typer

from ...runtime.settings import seal_process
from ..listing import show_list
from .lazy import command_app
from .options import ListForm

app = command_app()


@app.command()
def graph(
    *,
    name: Annotated[str | None, typer.Argument(metavar="[VERSION]", show_default=False, help="Draw this one.")] = None,
    drawing: Annotated[Literal["text", "mermaid"], typer.Option("--format", help="How it is drawn.")] = "text",
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
    elif drawing == "mermaid":
        typer.echo(versions.mermaid(versions.version(name).name))
    else:
        chosen = versions.version(name)
        typer.echo(f"{chosen.name}: {chosen.description}\nstructure {versions.structure_hash(name)}\n")
        drawn = versions.compile_version(name, None).get_graph()
        for node in drawn.nodes:
            after = [f"{e.target}{' (if due)' if e.conditional else ''}" for e in drawn.edges if e.source == node]
            if after:
                typer.echo(f"  {node} -> {', '.join(after)}")
