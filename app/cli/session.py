"""What every command takes: options that may stand before or after its name."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ...runtime.settings import Settings


@dataclass
class Session:
    """One call of the program."""

    database: Path | None = None
    quiet: bool = False
    debug: bool = False
    run_id: str = ""
    """The run at work, once it is known, so that an interrupted command can say how to go on."""

    def settings(self, **flags: object) -> "Settings":
        from ...runtime.settings import load_settings  # noqa: PLC0415 pydantic is slow to load, the help needs none

        return load_settings(database=self.database, **flags)


def session_of(context: typer.Context) -> Session:
    session = context.find_root().obj
    if not isinstance(session, Session):
        raise TypeError("a command runs through leadline.app.cli.main")
    return session


def _remember(context: typer.Context, param: typer.CallbackParam, value: object) -> object:
    """Keep what was given; a default of the inner level must not undo what the outer one was given."""
    if value:
        setattr(session_of(context), param.name or "", value)
    return value


common = typer.Typer(add_completion=False)


@common.command()
def common_options(
    *,
    database: Annotated[
        Path | None,
        typer.Option(
            help="File that keeps runs; default: LEADLINE_DATABASE, else the data folder.",
            callback=_remember, expose_value=False, show_default=False, dir_okay=False,
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress on stderr.", callback=_remember, expose_value=False),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of a failure.", callback=_remember, expose_value=False),
    ] = False,
) -> None:  # fmt: skip
    """Never run: its options are added to every command."""
    raise NotImplementedError((database, quiet, debug))
