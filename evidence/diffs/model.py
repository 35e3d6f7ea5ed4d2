"""A diff as data: files, hunks, lines, and the blocks of lines that replace each other."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

Role = Literal["code", "config", "migration", "schema", "docs", "ui", "tests", "ci", "manifest", "image"]
Mark = Literal["+", "-", " "]


class Line(NamedTuple):
    mark: Mark
    text: str


class Edit(NamedTuple):
    """Removed lines and the added lines that stand in their place; either side may be empty."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True)
class Hunk:
    header: str
    """The enclosing function or section, where the diff names it."""
    lines: tuple[Line, ...]

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        found: list[Edit] = []
        removed: list[str] = []
        added: list[str] = []
        for mark, text in (*self.lines, Line(" ", "")):
            if mark == "-":
                removed.append(text)
            elif mark == "+":
                added.append(text)
            elif removed or added:
                found.append(Edit(tuple(removed), tuple(added)))
                removed, added = [], []
        return tuple(found)

    @property
    def context(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.mark == " ")


@dataclass(frozen=True)
class FileDiff:
    path: str
    role: Role
    production: bool
    """Whether the path can matter in production: not a staging, development or sample environment."""
    hunks: tuple[Hunk, ...] = ()

    @cached_property
    def removed(self) -> tuple[str, ...]:
        return tuple(line.text for hunk in self.hunks for line in hunk.lines if line.mark == "-")

    @cached_property
    def added(self) -> tuple[str, ...]:
        return tuple(line.text for hunk in self.hunks for line in hunk.lines if line.mark == "+")

    @cached_property
    def before(self) -> tuple[str, ...]:
        """The visible part of the file as it was."""
        return tuple(line.text for hunk in self.hunks for line in hunk.lines if line.mark != "+")

    @cached_property
    def after(self) -> tuple[str, ...]:
        return tuple(line.text for hunk in self.hunks for line in hunk.lines if line.mark != "-")

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(edit for hunk in self.hunks for edit in hunk.edits)


@dataclass(frozen=True)
class Diff:
    files: tuple[FileDiff, ...] = field(default=())

    @property
    def empty(self) -> bool:
        """Whether no line is known, as where a source keeps only the names of the files."""
        return not any(file.removed or file.added for file in self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(file.path for file in self.files)
