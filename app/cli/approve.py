"""`leadline approve`."""

from typing import Annotated

import typer

from ...contracts.errors import UsageError
from ...runtime.outcome import PersonAnswer
from ..approval import ask_person
from ..console import is_interactive, talk
from .acting import answered, open_question, read_line
from .ending import finish
from .lazy import command_app
from .options import CommandArgument, OutFile, ReportForm, RunArgument
from .session import session_of

app = command_app()
SHORTEST = 4
"""Characters of a digest that say what was looked at."""


@app.command()
def approve(
    context: typer.Context,
    *,
    run: RunArgument,
    action: CommandArgument = None,
    digest: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Beginning of the digest that was shown; needed without a terminal."),
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for the record.")] = "",
    form: ReportForm = "table",
    out: OutFile = None,
) -> int:
    """Approve an action, from any place, until it expires.

    A terminal shows first what exactly would be done, and asks. Elsewhere the digest says what was looked at.
    """
    session = session_of(context)
    request = open_question(session, run, action)
    answer: PersonAnswer | None = PersonAnswer(request.approval_id, "approved", reason)
    if digest is not None:
        if len(digest) < SHORTEST or not request.subject_digest.startswith(digest.lower()):
            raise UsageError(
                f"what is asked is not what {digest!r} was shown for",
                why="its digest begins otherwise" if len(digest) >= SHORTEST else "that is too short",
                hint=f"leadline actions {request.run_id}",
            )
    elif is_interactive():
        answer = ask_person(talk(), request, read_line)
    else:
        raise UsageError(
            "nobody has looked at what would be done", why="there is no terminal to show it",
            hint=f"leadline actions {request.run_id}, then approve with --digest",
        )  # fmt: skip
    if answer is None:
        return 5
    return finish(answered(session, request.run_id, answer), form, out)
