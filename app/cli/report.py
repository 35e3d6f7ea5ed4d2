"""`leadline report`."""

from typing import Annotated

import typer

from ...adapters.store import SqlRunStore
from ...contracts.base import RunId
from ...contracts.errors import UsageError
from ...contracts.report import IncidentReport
from ..documents import ReportFormat, write_report
from .lazy import command_app
from .options import OutFile, RunArgument
from .session import session_of
from .work import read

app = command_app()


@app.command()
def report(
    context: typer.Context,
    *,
    run: RunArgument,
    form: Annotated[ReportFormat, typer.Option("--format", "--output", "-o", help="How it is printed.")] = "table",
    out: OutFile = None,
) -> None:
    """Print a run's report."""

    async def load(store: SqlRunStore) -> IncidentReport:
        found = await store.run(RunId(run))
        written = await store.reader(found.run_id).get(IncidentReport, "report")
        if written is None:
            hint = f"leadline resume {found.run_id}" if found.state in {"running", "waiting"} else "leadline runs"
            raise UsageError(f"run {found.run_id} has no report", why=f"it is {found.state}", hint=hint)
        return written

    write_report(read(session_of(context), load), form, out)
