"""`leadline help-exit-codes`."""

import typer

from .exit_codes import table
from .lazy import command_app

app = command_app()


@app.command()
def help_exit_codes() -> None:
    """Say what each exit code means."""
    typer.echo(table())
