"""Where text leaves the program: data on stdout, talk on stderr; colour only for a terminal that wants it."""

import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from .visible import one_line, visible

PLAIN_WIDTH, WIDEST = 80, 100
"""Columns where there is no terminal, and at most where there is one: longer lines are hard to read."""


def output() -> Console:
    return _console(sys.stdout, terminal=sys.stdout.isatty())


def talk() -> Console:
    return _console(sys.stderr, terminal=sys.stderr.isatty())


def is_interactive() -> bool:
    """Whether a person can be asked: questions go to stderr, answers come from stdin."""
    return sys.stdin.isatty() and sys.stderr.isatty() and not talk().is_dumb_terminal


def plain(stream: TextIO) -> Console:
    """Without colour, in 80 columns."""
    return _console(stream, terminal=False)


def _console(stream: TextIO, *, terminal: bool) -> Console:
    """Rich itself heeds NO_COLOR, TERM and COLUMNS."""
    return Console(
        file=stream,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        width=min(get_terminal_size().columns, WIDEST) if terminal else PLAIN_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )


def text(content: str, style: str = "") -> Text:
    """Anybody's text, made visible; it may run over several lines."""
    return Text(visible(content), style=style, overflow="fold")


def line(content: str, style: str = "", limit: int = 0) -> Text:
    return Text(one_line(content, limit), style=style, overflow="fold")


class Hanging:
    """A prefix and a text whose further lines begin below its own start; no line ends in blanks."""

    def __init__(self, prefix: str | Text, body: Text) -> None:
        self.prefix = Text(prefix) if isinstance(prefix, str) else prefix
        self.body = body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        indent = self.prefix.cell_len
        for number, part in enumerate(self.body.wrap(console, max(options.max_width - indent, 20))):
            part.rstrip()
            yield Text.assemble(self.prefix if number == 0 else " " * indent, part)


def items(texts: Iterable[Text], *, indent: str = "", numbered: bool = False) -> Iterator[Hanging]:
    every = list(texts)
    width = len(f"{len(every)}.")
    for number, each in enumerate(every, start=1):
        yield Hanging(f"{indent}{f'{number}.':>{width}} " if numbered else f"{indent}- ", each)


def facts(pairs: Iterable[tuple[str, str]], *, indent: str = "") -> Iterator[Hanging]:
    """`name  value` lines with aligned values; pairs without a value are left out."""
    told = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in told), default=0)
    for name, value in told:
        yield Hanging(Text(f"{indent}{name:<{width}}  ", style="dim"), line(value))


def heading(title: str) -> Text:
    return Text(f"\n{one_line(title)}", style="bold", overflow="fold")


def command(words: str, *, indent: str = "  ") -> Text:
    """Something to copy: never wrapped. Print it with `crop=False`."""
    return Text(indent + one_line(words), no_wrap=True, overflow="ignore")
