"""Comparisons and sums that a change turns: the line reads the same but for its operators."""

import re

from .effects import Effect
from .model import FileDiff
from .text import TOKEN, bare_lines

_COMPARE = {"<", ">", "=", "!", "and", "or", "not"}
_SUM = {"+", "-", "*", "/", "%"}


def operator_effects(file: FileDiff) -> list[Effect]:
    if file.role != "code":
        return []
    found: list[Effect] = []
    for edit in file.edits:
        for old, new in zip(bare_lines(edit.removed, file.path), bare_lines(edit.added, file.path), strict=False):
            kind = _turned(_tokens(old), _tokens(new))
            if kind:
                found.append(
                    Effect(
                        kind="operator_changed" if kind == "compare" else "arithmetic_changed",
                        key=_subject(new),
                        path=file.path,
                        quote=f"- {old} + {new}",
                        old=old,
                        new=new,
                        clear=0.6 if kind == "compare" else 0.45,
                    )
                )
    return found


def _tokens(line: str) -> list[str]:
    """Without lone `&` and `|`, which take an address or mark a type in most languages."""
    return [t for t in TOKEN.findall(line.replace("&&", " and ").replace("||", " or ")) if t not in {"&", "|"}]


def _turned(old: list[str], new: list[str]) -> str:
    if old != new and [t for t in old if t not in "()"] == [t for t in new if t not in "()"] and set(old) & _SUM:
        return "sum"
    words_old = [token for token in old if token not in _COMPARE | _SUM]
    words_new = [token for token in new if token not in _COMPARE | _SUM]
    if old == new or words_old != words_new:
        return (
            "sum"
            if _same_names(words_old, words_new) and [t for t in old if t in _SUM] != [t for t in new if t in _SUM]
            else ""
        )
    compare = [t for t in old if t in _COMPARE] != [t for t in new if t in _COMPARE]
    return "compare" if compare else "sum" if [t for t in old if t in _SUM] != [t for t in new if t in _SUM] else ""


def _same_names(old: list[str], new: list[str]) -> bool:
    def names(tokens: list[str]) -> set[str]:
        return {token for token in tokens if re.match(r"[A-Za-z_]", token)}

    return bool(names(old)) and names(old) == names(new)


def _subject(line: str) -> str:
    found = re.search(r"(?:if|return|while|elif)\s*\(?\s*!?([A-Za-z_][\w.]*)", line) or re.search(
        r"[A-Za-z_][\w.]*", line
    )
    return found.group(found.lastindex or 0) if found else ""
