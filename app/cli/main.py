"""The one entry point: parses, runs, and turns whatever went wrong into one clear message and an exit code."""

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer
from typer.main import get_command

from . import exit_codes
from .commands import SECTIONS
from .failures import tell_failure
from .lazy import LazyGroup
from .session import Session, common


class Commands(LazyGroup):
    sections = SECTIONS


app = typer.Typer(
    name="leadline",
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Exit codes: leadline help-exit-codes. A run that was stopped goes on with: leadline resume RUN.",
)


@app.callback()
def leadline(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """A team of agents investigates an incident; code checks every finding before it is reported."""
    if version:
        from ... import __version__  # noqa: PLC0415 reads package metadata

        typer.echo(f"leadline {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """One call of the program; gives its exit code. A command gives its own by returning it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # what a terminal cannot show is shown as an escape
            reconfigure(errors="backslashreplace")
    session = Session()
    group = get_command(app)
    group.params.extend(get_command(common).params)
    try:
        code = group.main(args=list(arguments), prog_name="leadline", standalone_mode=False, obj=session)
    except Exception as failure:  # noqa: BLE001 the one place where a command may fail in an unforeseen way
        return tell_failure(failure, session)
    return code if isinstance(code, int) else exit_codes.OK
