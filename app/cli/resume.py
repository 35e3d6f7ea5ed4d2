"""`leadline resume`."""

from pathlib import Path
from typing import Annotated

import typer

from ...contracts.errors import UsageError
from ...runtime.outcome import PersonAnswer
from ..edits import read_edit
from .ending import finish, see_through
from .lazy import command_app
from .options import NoWait, OutFile, ReportForm, RunArgument
from .running import resume as resumed
from .session import session_of

app = command_app()


@app.command()
def resume(
    context: typer.Context,
    *,
    run: RunArgument,
    approve: Annotated[bool, typer.Option("--approve", help="Approve what the run waits for.")] = False,
    reject: Annotated[str | None, typer.Option(metavar="REASON", help="Reject it.")] = None,
    edit: Annotated[Path | None, typer.Option(metavar="FILE", help="Approve it with the changes in FILE.")] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for the record; with --approve or --edit.")] = "",
    approval: Annotated[str | None, typer.Option(metavar="ID", help="Which question, where there are several.")] = None,
    no_wait: NoWait = False,
    form: ReportForm = "table",
    out: OutFile = None,
) -> int:
    """Go on with a run, or answer what it waits for.

    An answer counts once: a second, stale, unknown or empty one is refused with the reason.
    """
    session = session_of(context)
    settings = session.settings()
    answer = _answer(approve=approve, reject=reject, edit=edit, reason=reason, approval=approval)
    outcome = resumed(session, settings, run, answer)
    run_id = outcome.run.run_id
    outcome = see_through(outcome, lambda given: resumed(session, settings, run_id, given), no_wait=no_wait)
    return finish(outcome, form, out)


def _answer(
    *, approve: bool, reject: str | None, edit: Path | None, reason: str, approval: str | None
) -> PersonAnswer | None:
    if approve + (reject is not None) + (edit is not None) > 1:
        raise UsageError("one answer at a time", why="--approve, --reject and --edit exclude each other")
    if reject is not None:
        return PersonAnswer(approval, "rejected", reject)
    if edit is not None:
        return PersonAnswer(approval, "edited", reason, read_edit(edit))
    if approve:
        return PersonAnswer(approval, "approved", reason)
    if reason or approval:
        raise UsageError("no answer was given", hint="add --approve, --reject REASON or --edit FILE")
    return None
