"""Characters that are not seen, or that move what is seen, as escapes: nothing hides in a text that leaves here.

The ranges are listed rather than asked of `unicodedata`, whose answers change with Python's version, and with them
every digest.
"""

import re

_HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # controls, with ESC, newline and tab
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, bidi, separators
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\ud800-\udfff\ue000-\uf8ff"  # surrogates, private use
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U0010ffff"  # tags, variation selectors, private use
    "]"
)
_KEPT = frozenset("\ufffd")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e"}


def visible(text: str) -> str:
    """The text on one line, every hidden character as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if char in _KEPT:
        return char
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
