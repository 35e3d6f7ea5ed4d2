"""Commands that are loaded when they are called: `--help` must not wait for the graph library or the database."""

from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from .session import common


class Entry(NamedTuple):
    """A command's place: its module in this package, which holds an `app`, and its line in the help."""

    module: str
    help: str


def command_app(**options: Any) -> typer.Typer:
    """A command's or a group's own Typer; plain help, no tracebacks with local values."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **options)


class LazyGroup(TyperGroup):
    """Knows its commands by name and one line; imports a module only to run it or to show its own help."""

    sections: ClassVar[dict[str, dict[str, Entry]]] = {}

    def list_commands(self, _ctx: Any) -> list[str]:
        return [name for section in self.sections.values() for name in section]

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        entry = next((s[cmd_name] for s in self.sections.values() if cmd_name in s), None)
        if entry is None:
            return None
        command = get_command(import_module(f".{entry.module}", __package__).app)
        command.name = cmd_name
        for each in command.commands.values() if isinstance(command, TyperGroup) else (command,):
            each.params.extend(get_command(common).params)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        self.commands = dict.fromkeys(self.list_commands(ctx))  # type: ignore[assignment]  # only its keys are read, for "Did you mean"
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        width = max(len(name) for name in self.list_commands(None))
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in section.items()])
