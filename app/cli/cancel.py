"""`leadline cancel`."""

from typing import Annotated

import typer

from ..console import line, output
from .lazy import command_app
from .options import RunArgument
from .session import session_of
from .work import serve

app = command_app()


@app.command()
def cancel(
    context: typer.Context,
    *,
    run: RunArgument,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for the record.")] = "cancelled on the command line",
) -> None:
    """End a run without a report."""
    session = session_of(context)
    ended = serve(session.settings(), lambda service: service.cancel(run, reason))
    output().print(line(f"run {ended.run_id} {ended.state}: {ended.reason}"))
