"""`leadline retry`."""

import typer

from .ending import finish, see_through
from .lazy import command_app
from .options import NoWait, OutFile, ReportForm, RunArgument
from .running import resume
from .running import retry as retried
from .session import session_of

app = command_app()


@app.command()
def retry(
    context: typer.Context,
    *,
    run: RunArgument,
    no_wait: NoWait = False,
    form: ReportForm = "table",
    out: OutFile = None,
) -> int:
    """Try again what failed in a run; the failures stay on record."""
    session = session_of(context)
    settings = session.settings()
    outcome = retried(session, settings, run)
    run_id = outcome.run.run_id
    outcome = see_through(outcome, lambda answer: resume(session, settings, run_id, answer), no_wait=no_wait)
    return finish(outcome, form, out)
