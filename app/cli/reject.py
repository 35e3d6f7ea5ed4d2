"""`leadline reject`."""

from typing import Annotated

import typer

from ...runtime.outcome import PersonAnswer
from .acting import answered, open_question
from .ending import finish
from .lazy import command_app
from .options import CommandArgument, OutFile, ReportForm, RunArgument
from .session import session_of

app = command_app()


@app.command()
def reject(
    context: typer.Context,
    *,
    run: RunArgument,
    action: CommandArgument = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is required.")] = "",
    form: ReportForm = "table",
    out: OutFile = None,
) -> int:
    """Reject an action: it is not done.

    The run goes on without it.
    """
    session = session_of(context)
    request = open_question(session, run, action)
    answer = PersonAnswer(request.approval_id, "rejected", reason)
    return finish(answered(session, request.run_id, answer), form, out)
