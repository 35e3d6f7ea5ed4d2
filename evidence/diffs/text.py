"""Lines of code as words: comments off, strings apart, identifiers split."""

import re
from collections import Counter
from collections.abc import Iterable

_SLASH = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)|(//.*$|/\*.*?\*/)""")
_HASH = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|((?:^|(?<=\s))#.*$)""")
_DASH = re.compile(r"""('(?:[^'])*')|(--.*$)""")
_HASH_FILES = re.compile(
    r"\.(py|rb|sh|ya?ml|toml|env|properties|conf|cfg|ini|tf|hcl|cnf)$|(^|/)(dockerfile|makefile)", re.IGNORECASE
)
_LONE = re.compile(r"^\s*(\*|\*/|/\*|<!--)(\s|$|\*)")
STRING = re.compile(r"""\"((?:\\.|[^"\\])*)\"|'((?:\\.|[^'\\])*)'|`([^`]*)`""")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
TOKEN = re.compile(r"""\"(?:\\.|[^"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|[A-Za-z_]\w*|\d[\w.]*|[^\s\w]""")

COMMON = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "for", "from", "had", "has", "have", "if", "in",
    "into", "is", "it", "its", "may", "must", "no", "not", "of", "off", "on", "or", "our", "over", "per", "so",
    "than", "that", "the", "their", "then", "there", "these", "this", "to", "too", "was", "we", "were", "when",
    "which", "while", "will", "with", "would", "you", "your", "via", "due", "after", "before", "during", "new", "old",
    "get", "set", "err", "error", "errors", "failed", "failure", "fail", "exception", "nil", "null", "none", "true",
    "false", "return", "func", "def", "var", "let", "const", "int", "str", "string", "bool", "float", "byte", "bytes",
    "type", "struct", "class", "self", "ctx", "context", "req", "res", "resp", "request", "response", "svc",
    "service", "server", "client", "api", "http", "https", "json", "log", "info", "warn", "debug", "fmt", "msg",
    "message", "time", "now", "start", "end", "count", "total", "value", "data", "name", "id", "key", "list", "map",
    "item", "items", "code", "status", "main", "run", "use", "using", "call", "called", "used", "src", "pkg", "com",
    "www", "util", "utils", "test", "internal", "public", "private", "static", "void", "async", "await", "import",
    "package", "go", "py", "ts", "js", "java", "interface", "any", "object",
})  # fmt: skip
"""Words that name nothing in particular; they never link a change to a symptom."""


def bare(line: str, path: str = "") -> str:
    """The line without comments, stripped; empty for a line of nothing else."""
    if _LONE.match(line):
        return ""
    pattern = _DASH if path.endswith(".sql") else _HASH if _HASH_FILES.search(path) else _SLASH
    return pattern.sub(lambda m: m.group(1) or "", line).strip()


def bare_lines(lines: Iterable[str], path: str = "") -> tuple[str, ...]:
    return tuple(text for text in (bare(line, path) for line in lines) if text)


def words(text: str) -> tuple[str, ...]:
    """Lower-case parts of identifiers: `MaxIdleConns`, `max_idle_conns` and `max-idle-conns` give the same."""
    return tuple(part.lower() for name in IDENTIFIER.findall(text) for part in _HUMPS.findall(name) if part)


def stem(word: str) -> str:
    """A word without the endings that code and prose differ by."""
    for ending in ("izations", "ization", "ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def terms(text: str) -> frozenset[str]:
    """Stemmed telling words of a text, without numbers, common words and single letters."""
    return frozenset(stem(word) for word in words(text) if len(word) > 2 and word not in COMMON and not word.isdigit())


def strings(line: str) -> tuple[str, ...]:
    return tuple(next(group for group in found.groups() if group is not None) for found in STRING.finditer(line))


def tokens(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(token for line in lines for token in TOKEN.findall(line))


def lost(before: Iterable[str], after: Iterable[str]) -> tuple[str, ...]:
    """What stands in `before` more often than in `after`, in the order of `before`."""
    left = Counter(before) - Counter(after)
    found = []
    for item in before:
        if left[item] > 0:
            left[item] -= 1
            found.append(item)
    return tuple(found)
