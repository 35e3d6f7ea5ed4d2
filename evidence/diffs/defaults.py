"""What stood in for a thing that is missing, and is gone; a loop that lost the number it stopped at."""

import re
from collections.abc import Iterator, Sequence

from .effects import Effect
from .model import FileDiff
from .text import bare_lines

_LOOKUPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"""\.get\(\s*(["'][\w.-]+["'])\s*,\s*[^()]+(?:\(\))?\)"""), r"\.get\(\s*{0}\s*\)|\[\s*{0}\s*\]"),
    (re.compile(r"""\.getOrDefault\(\s*(["'][\w.-]+["']|\w+)\s*,"""), r"\.get\(\s*{0}\s*\)"),
    (re.compile(r"""\bgetattr\([\w.]+,\s*(["']\w+["'])\s*,"""), r"getattr\([\w.]+,\s*{0}\s*\)"),
    (re.compile(r"""([\w.\])]+)\s*(?:\?\?|\|\||\?:)\s*[^=;]+"""), r"{0}(?!\s*(?:\?\?|\|\||\?:))"),
    (re.compile(r"""([\w.]+)\.(?:unwrap_or\w*|orElse\w*)\("""), r"{0}\.(?:unwrap\(|get\(|expect\()"),
)
_COUNTED = re.compile(r"\bfor\b.*(?:<=?|\brange\b|\bin\b|\.\.)|\bwhile\b.*<")
_OPEN = re.compile(r"^\s*(?:for|while)\s*\(?\s*[^;]*(?:!=|!==|\bnot\b|!\w|is not|\btrue\b|\bTrue\b|\{\s*$)")
_CONDITIONS = re.compile(r"^\s*(?:\}?\s*(?:else\s+)?if|elif|while)\b")


def default_effects(file: FileDiff) -> list[Effect]:
    if file.role != "code":
        return []
    found = [effect for edit in file.edits for effect in _dropped(file.path, edit.removed, edit.added)]
    return found + [effect for edit in file.edits for effect in _endless(file.path, edit.removed, edit.added)]


def _dropped(path: str, removed: Sequence[str], added: Sequence[str]) -> Iterator[Effect]:
    new = bare_lines(added, path)
    for line in bare_lines(removed, path):
        if _CONDITIONS.match(line):
            continue
        for with_default, without in _LOOKUPS:
            for found in with_default.finditer(line):
                bare = re.compile(without.format(re.escape(found.group(1))))
                after = next((text for text in new if bare.search(text) and not with_default.search(text)), "")
                if after and not any(found.group(0) in text for text in new):
                    yield Effect(kind="guard_removed", key=found.group(1).strip("\"'"), path=path,
                                 quote=f"- {line} + {after}", old=line, new=after, clear=0.85)  # fmt: skip
                    return


def _endless(path: str, removed: Sequence[str], added: Sequence[str]) -> Iterator[Effect]:
    old, new = bare_lines(removed, path), bare_lines(added, path)
    before = next((line for line in old if _COUNTED.search(line)), "")
    after = next((line for line in new if _OPEN.match(line) and not _COUNTED.search(line)), "")
    if before and after and not any(_COUNTED.search(line) for line in new):
        yield Effect(kind="bound_removed", key="loop end", path=path, quote=f"- {before} + {after}", old=before,
                     new=after, clear=0.7)  # fmt: skip
