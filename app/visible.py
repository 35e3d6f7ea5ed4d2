r"""The one boundary between text from anywhere and a person's eyes.

Telemetry, model answers and file names may hold escape sequences, bidirectional overrides or invisible characters. What
passes through here shows them as escapes (`\x1b`, `\u202e`) instead of obeying them.
"""

import unicodedata

_KEPT = frozenset("\n\t")


def visible(text: str) -> str:
    """Leave nothing below 0x20 but newline and tab, no C1, no format, private, unassigned or surrogate character."""
    if text.isprintable():
        return text
    return "".join(c if _is_plain(c) else _escaped(c) for c in text)


def one_line(text: str, limit: int = 0) -> str:
    """The same on one line, white space folded; cut with an ellipsis where it is longer than `limit` (0: never)."""
    folded = " ".join(visible(text).split())
    return folded if not limit or len(folded) <= limit else folded[: max(limit - 1, 0)].rstrip() + "…"


def visible_json(document: str) -> str:
    """JSON that means the same and holds the same escapes; only strings can hold such characters."""
    if document.isprintable():
        return document
    return "".join(c if _is_plain(c) else _json_escaped(c) for c in document)


def _is_plain(character: str) -> bool:
    return character.isprintable() or character in _KEPT or unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
