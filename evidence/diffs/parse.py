"""Diff text to files, hunks and lines: unified diffs, git's headers, and the short `@@ file @@` form."""

import re
from collections.abc import Sequence

from .model import Diff, FileDiff, Hunk, Line
from .roles import is_production, role_of

MAX_LINES = 20_000
"""Lines read of one diff; what follows is left out."""

_RANGE = re.compile(r"^@@+ -\d+(?:,\d+)?(?: \+\d+(?:,\d+)?)+ @@+ ?(.*)$")
_SHORT = re.compile(r"^@@ ?(.*?)(?: @@(?: (.*))?)?$")
_PATH = re.compile(r"^[\w.@+-]*(?:/[\w.@+ -]+)+$|^[\w-]+\.\w{1,6}$|^(?:Dockerfile|Makefile|Jenkinsfile|CODEOWNERS)$")
_HEADERS = ("diff --git ", "index ", "new file mode", "deleted file mode", "old mode", "new mode", "similarity index",
            "rename from", "rename to", "Binary files", "\\ No newline")  # fmt: skip


def parse_diff(text: str, paths: Sequence[str] = ()) -> Diff:
    """Read a diff; `paths` are the files that the change is known to touch, also where the text is silent."""
    reader = _Reader(paths)
    for line in text.splitlines()[:MAX_LINES]:
        reader.feed(line)
    return reader.done()


class _Reader:
    def __init__(self, paths: Sequence[str]) -> None:
        self._known = list(paths)
        self._files: dict[str, list[Hunk]] = {}
        self._path = self._known[0] if self._known else ""
        self._header = ""
        self._lines: list[Line] = []

    def feed(self, line: str) -> None:
        if line.startswith("@@"):
            self._flush()
            self._open(line)
        elif line.startswith(("--- ", "+++ ")) and not self._inside():
            self._rename(line)
        elif line.startswith("--- a/"):
            self._flush()
            self._rename(line)
        elif line.startswith(_HEADERS):
            self._flush()
            self._header = ""
        elif line[:1] in {"+", "-"}:
            self._lines.append(Line("+" if line[0] == "+" else "-", line[1:]))
        elif line or self._lines:
            self._lines.append(Line(" ", line.removeprefix(" ")))

    def done(self) -> Diff:
        self._flush()
        for path in self._known:
            self._files.setdefault(path, [])
        return Diff(
            tuple(
                FileDiff(path=path, role=role_of(path), production=is_production(path), hunks=tuple(hunks))
                for path, hunks in self._files.items()
                if path or hunks
            )
        )

    def _inside(self) -> bool:
        return any(line.mark != " " for line in self._lines)

    def _open(self, line: str) -> None:
        ranged = _RANGE.match(line)
        if ranged:
            self._header = ranged.group(1)
            return
        short = _SHORT.match(line)
        assert short is not None
        name, rest = short.group(1).strip(), (short.group(2) or "").strip()
        head, _, tail = name.partition(": ")
        head = head.rstrip(":")
        if _PATH.match(head):
            self._path, self._header = head, tail or rest
        else:
            self._header = name or rest

    def _rename(self, line: str) -> None:
        name = line[4:].split("\t", maxsplit=1)[0].strip()
        if name != "/dev/null":
            self._path = re.sub(r"^[ab]/", "", name)

    def _flush(self) -> None:
        if any(line.mark != " " for line in self._lines):
            self._files.setdefault(self._path, []).append(Hunk(self._header, tuple(self._lines)))
        self._lines = []
