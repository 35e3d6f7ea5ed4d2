"""Telemetry inside a prompt: a marked block of escaped lines that cannot end itself.

The marks hold `<<` and `>>`, which no escaped line does. They are always the same, so that a prompt whose data only
grew at its end keeps its beginning, and the server's prefix cache with it.
"""

import json
import re
import unicodedata
from collections.abc import Iterable

_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_CONTROL_TOKEN = re.compile(
    r"\[(?=/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]+|IMG|PREFIX|SUFFIX|MIDDLE)\b)"
)
"""Words in brackets that chat templates turn into control tokens; those in angle brackets fall with every `<`."""


def _escape(char: str) -> str:
    return json.dumps(char)[1:-1]


def visible(text: str) -> str:
    """The text as the inside of a JSON string: no line break, no hidden character, no chat control token."""
    inner = json.dumps(text, ensure_ascii=False)[1:-1]
    inner = inner.replace("<", "\\u003c").replace(">>", "\\u003e\\u003e")
    inner = _CONTROL_TOKEN.sub(r"\\u005b", inner)
    if inner.isascii() and inner.isprintable():
        return inner
    return "".join(_escape(c) if unicodedata.category(c) in _UNSEEN else c for c in inner)


def cut(text: str, chars: int) -> str:
    """At most `chars` of the text, saying how much is missing."""
    return text if len(text) <= chars else f"{text[:chars]} (cut, {len(text) - chars} characters more)"


def data_block(lines: Iterable[str], name: str, chars: int = 3000, line_chars: int = 320) -> str:
    """Quote the lines as data, at most `chars` of them; what is left out is counted in the last line."""
    every = list(lines)
    kept: list[str] = []
    spent = 0
    for line in every:
        quoted = f'"{visible(cut(line, line_chars))}"'
        if spent + len(quoted) > chars:
            break
        kept.append(quoted)
        spent += len(quoted) + 1
    if len(kept) < len(every):
        kept.append(f"(cut: {len(every) - len(kept)} lines more)")
    body = "\n".join(kept) or "(nothing)"
    return f"<<data {name}\n{body}\nend of {name}>>"


def quoted_in(quote: str, source: Iterable[str]) -> bool:
    """Whether the quote stands in one line of the source, as that line is or as a prompt showed it.

    How many spaces stand between words is not looked at.
    """
    wanted = " ".join(quote.strip().strip('"').split())
    spellings = (spelling for line in source for spelling in (line, visible(line)))
    return bool(wanted) and any(wanted in " ".join(spelling.split()) for spelling in spellings)
