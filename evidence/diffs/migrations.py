"""Schema changes: what they create, drop, lock."""

import re

from .effects import Effect, EffectKind
from .model import FileDiff
from .text import bare_lines

_RAW_RULES: tuple[tuple[EffectKind, float, str], ...] = (
    (
        "index_dropped",
        0.9,
        (
            r"\bDROP\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+EXISTS\s+)?[\"`]?([\w.]+)|(?:drop|"
            r"remove)_index\(\s*[\"':]*([\w.]+)"
        ),
    ),
    (
        "table_dropped",
        0.9,
        (
            r"\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?[\"`]?([\w.]+)|drop_table\(\s*[\"':]*([\w.]+)|"
            r"\bRENAME\s+TABLE\s+([\w.]+)|"
            r"ALTER\s+TABLE\s+[\"`]?([\w.]+)[\"`]?\s+RENAME\s+TO"
        ),
    ),
    (
        "column_dropped",
        0.9,
        (
            r"\bDROP\s+COLUMN\s+(?:IF\s+EXISTS\s+)?[\"`]?([\w.]+)|(?:drop|"
            r"remove)_column\(\s*[\"':]*\w+[\"']?\s*,\s*[\"':]*([\w.]+)|"
            r"\bRENAME\s+COLUMN\s+[\"`]?([\w.]+)"
        ),
    ),
    (
        "migration_safe",
        0.9,
        (
            r"\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?([\w.]+)|"
            r"algorithm\s*=\s*inplace"
        ),
    ),
    (
        "migration_blocking",
        0.75,
        (
            r"\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?([\w.]+)"
            r"|\bLOCK\s+TABLE\s+([\w.]+)|"
            r"\bALTER\s+TABLE\s+[\"`]?([\w.]+)[\"`]?\s+(?:ALTER|MODIFY|ADD\s+(?:CONSTRAINT|FOREIGN|"
            r"COLUMN\s+\w+\s+[^,;]*(?:NOT\s+NULL|DEFAULT)))|"
            r"\bUPDATE\s+([\w.]+)\s+SET\b(?!.*\bWHERE\b)|VACUUM\s+FULL\s+([\w.]+)|"
            r"\bREINDEX\b\s+\w+\s+([\w.]+)|\bCLUSTER\b\s+([\w.]+)"
        ),
    ),
    (
        "table_created",
        0.9,
        (
            r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?([\w.]+)|"
            r"create_table\(\s*[\"':]*([\w.]+)"
        ),
    ),
    (
        "migration_safe",
        0.6,
        (
            r"\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?([\w.]+)|"
            r"add_column\(\s*[\"':]*\w+[\"']?\s*,\s*[\"':]*([\w.]+)"
        ),
    ),
)
_RULES = tuple((kind, clear, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, clear, pattern in _RAW_RULES)


def migration_effects(file: FileDiff) -> list[Effect]:
    """Of the added lines; a rollback section (`down`) is left aside."""
    if file.role not in {"migration", "code"}:
        return []
    text = "\n".join(bare_lines(file.added, file.path))
    text = re.split(
        r"^\s*(?:def downgrade|-- ?\+?(?:goose|migrate:)? ?down|def down\b)", text, flags=re.IGNORECASE | re.MULTILINE
    )[0]
    found: list[Effect] = []
    taken: set[int] = set()
    for kind, clear, pattern in _RULES:
        for match in pattern.finditer(text):
            if match.start() in taken:
                continue
            taken.add(match.start())
            name = next((group for group in match.groups() if group), "")
            quote = " ".join(text[match.start() :].split(";")[0].split())
            found.append(Effect(kind=kind, key=_table(quote, name), path=file.path, quote=f"+ {quote}", clear=clear))
    return found


def _table(quote: str, name: str) -> str:
    on = re.search(r"\bON\s+[\"`]?([\w.]+)|ALTER\s+TABLE\s+[\"`]?([\w.]+)", quote, re.IGNORECASE)
    table = next((group for group in on.groups() if group), "") if on else ""
    return f"{table}.{name}" if table and table != name else name
