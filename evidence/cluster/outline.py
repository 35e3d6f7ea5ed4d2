"""The indented text of `kubectl describe`, as a tree of lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_KEYED = re.compile(r"^([^\s:][^:]*?):(?:\s+(.*))?$")
MAX_LINES = 4000


@dataclass
class Line:
    text: str
    below: list["Line"] = field(default_factory=list)

    @property
    def key(self) -> str:
        match = _KEYED.match(self.text)
        return match.group(1) if match else ""

    @property
    def value(self) -> str:
        match = _KEYED.match(self.text)
        return (match.group(2) or "").strip() if match else ""

    def get(self, key: str) -> "Line | None":
        return next((line for line in self.below if line.key == key), None)

    def said(self, key: str) -> str:
        """The value of a key, empty where it is absent or `<none>`."""
        line = self.get(key)
        return "" if line is None or line.value in {"<none>", "<unset>", "<nil>"} else line.value

    def values(self, key: str) -> tuple[str, ...]:
        """A value that goes on in the lines below it, line by line."""
        line = self.get(key)
        if line is None:
            return ()
        return tuple(text for text in (line.value, *(below.text for below in line.below)) if text and text != "<none>")

    def entries(self, key: str) -> tuple["Line", ...]:
        line = self.get(key)
        return tuple(line.below) if line is not None else ()


def outline(text: str) -> Line:
    """Deeper lines belong to the nearest line above that is less deep."""
    root = Line("")
    path: list[tuple[int, Line]] = [(-1, root)]
    for raw in text.splitlines()[:MAX_LINES]:
        stripped = raw.strip()
        if not stripped:
            continue
        depth = len(raw) - len(raw.lstrip())
        while path[-1][0] >= depth:
            path.pop()
        line = Line(stripped)
        path[-1][1].below.append(line)
        path.append((depth, line))
    return root


def cells(lines: tuple[Line, ...]) -> Iterator[tuple[str, ...]]:
    """Rows of a table whose columns are two or more blanks apart, without its head and its rule."""
    for line in lines[1:]:
        if not line.text.startswith("---"):
            yield tuple(re.split(r"\s{2,}", line.text))
