"""`leadline doctor`."""

import typer
from pydantic import JsonValue
from rich.text import Text

from ...runtime.settings import seal_process
from ..console import Hanging, line, output
from ..listing import show_list
from . import exit_codes
from .lazy import command_app
from .options import ListForm
from .session import session_of
from .signals import run_async

app = command_app()
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@app.command()
def doctor(context: typer.Context, *, form: ListForm = "table") -> int:
    """Check this machine: store, model, team, and what to mend.

    The exit code is 1 where something must be mended first.
    """
    seal_process()
    from ..doctor import examine  # noqa: PLC0415 it loads LangGraph, which the seal must precede

    checks = run_async(examine(session_of(context).settings()))
    if form == "table":
        console = output()
        for check in checks:
            console.print(Hanging(Text(f"{check.state:<4}  {check.name:<8}  ", _STYLES[check.state]), line(check.told)))
            if check.fix:
                console.print(Hanging(" " * 16, line(f"next: {check.fix}")))
    else:
        rows: list[dict[str, JsonValue]] = [dict(check._asdict()) for check in checks]
        show_list("checks", rows, {}, form)
    return exit_codes.FAILED if any(check.state == "fail" for check in checks) else exit_codes.OK
