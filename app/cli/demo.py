"""`leadline demo`."""

import typer

from ...examples import DEMO
from ...runtime.outcome import StartRequest
from .ending import finish
from .lazy import command_app
from .options import OutFile, ReportForm
from .running import start
from .session import session_of

app = command_app()


@app.command()
def demo(context: typer.Context, *, form: ReportForm = "table", out: OutFile = None) -> int:
    """Investigate the incident that is shipped with the product.

    It asks no model, so that it says the same on every machine.
    """
    session = session_of(context)
    outcome = start(session, session.settings(), StartRequest(bundle=DEMO, model="rules"))
    return finish(outcome, form, out)
