"""Queries that a change adds or alters: tables, limits, conditions, queries inside loops."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .effects import Effect
from .model import FileDiff
from .text import bare_lines

_SQL = re.compile(
    r"\b(?:SELECT\b.+?\bFROM\b|INSERT\s+INTO\b|UPDATE\s+[\w.\"]+\s+SET\b|DELETE\s+FROM\b)", re.IGNORECASE | re.DOTALL
)
_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+[\"`\[]?([A-Za-z_][\w.]*)", re.IGNORECASE)
_LIMIT = re.compile(
    (
        r"\b(?:LIMIT\s+(?:\d+|\$\d+|\?|:\w+|%s|\{)|TOP\s*\(?\d+|FETCH\s+(?:FIRST|NEXT)|ROWNUM)|"
        r"\.(?:limit|Limit|take|Take|top|first|head|paginate|Paginate|setMaxResults|page_size)\("
    ),
    re.IGNORECASE,
)
_WHERE = re.compile(r"\bWHERE\b(.*?)(?=\b(?:ORDER|GROUP|LIMIT|HAVING|UNION)\b|[`\"';)]|$)", re.IGNORECASE | re.DOTALL)
_CONDITION = re.compile(r"([A-Za-z_][\w.]*)\s*(?:=|<|>|<=|>=|!=|<>|\bIN\b|\bLIKE\b|\bBETWEEN\b|\bIS\b)", re.IGNORECASE)
_FILTER = re.compile(r"\.(?:filter|Filter|where|Where|filter_by|eq|andWhere)\(\s*([\w.\"'=<> ?]+)")
_SCAN = re.compile(
    (
        r"\b(?:LOWER|UPPER|DATE|CAST|COALESCE|TO_CHAR|DATE_TRUNC)\s*\(\s*[\w.]+\s*\)\s*(?:=|LIKE|"
        r"IN)|LIKE\s+'%|ILIKE\s+'%|ORDER\s+BY\s+RAND"
    ),
    re.IGNORECASE,
)
_PRELOAD = re.compile(
    r"\.?\b(prefetch_related|select_related|joinedload|selectinload|subqueryload|Preload|"
    r"Include|includes|eager_load|with_related|"
    r"BatchGet\w*|MGET|mget|bulk_\w+|get_many|getMany|findAllById|GetMulti|LoadMany|"
    r"loadMany)\b"
)
_LOCKING = re.compile(r"\bFOR\s+UPDATE\b|\bLOCK\s+TABLE\b|\bSERIALIZABLE\b|\bLOCK\s+IN\s+SHARE", re.IGNORECASE)
_LOOP = re.compile(r"^\s*(?:for\b|while\b|.*\.(?:forEach|map|each|each_with_index)\s*\(|loop\b)")
_REMOTE = re.compile(
    (r"\b(?:\w*(?:db|conn|tx|repo|repository|dao|session|store|cursor|client|stub|http|"
r"requests|axios|api|redis|cache|grpc|svc|service)\w*)"
r"\.(?:\w+\.)*(?:query\w*|exec\w*|find\w*|get\w*|fetch\w*|select\w*|load\w*|post|call\w*|"
r"do|scan\w*|list\w*|lookup\w*|read\w*|invoke|request)\s*\(|"
r"\bfetch\(|\baxios\.|\brequests\.(?:get|post)\(|\bhttp\.(?:Get|Post)\("),
    re.IGNORECASE,
)  # fmt: skip


class Query(NamedTuple):
    tables: tuple[str, ...]
    limited: bool
    conditions: frozenset[str]
    text: str


def queries(lines: Sequence[str], path: str = "") -> tuple[Query, ...]:
    """SQL statements in order; a statement may span lines."""
    text = "\n".join(bare_lines(lines, path))
    starts = [found.start() for found in _SQL.finditer(text)]
    pieces = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=False)]
    return tuple(
        Query(tuple(dict.fromkeys(_TABLE.findall(piece))), _LIMIT.search(piece) is not None, _conditions(piece), piece)
        for piece in pieces
    )


def _conditions(piece: str) -> frozenset[str]:
    return frozenset(name.lower() for where in _WHERE.findall(piece) for name in _CONDITION.findall(where))


def query_effects(file: FileDiff) -> list[Effect]:
    if file.role in {"docs", "tests", "ui", "migration", "manifest"}:
        return []
    old, new = queries(file.removed, file.path), queries(file.added, file.path)
    found: list[Effect] = []
    for query in new:
        twin = next((q for q in old if set(q.tables) & set(query.tables)), None)
        found += _altered(twin, query, file.path) if twin else _added(query, file)
    found += _orm(file)
    found += _loops(file)
    locks = [line for line in file.added if _LOCKING.search(line)]
    if locks and not any(_LOCKING.search(line) for line in file.removed):
        found.append(
            Effect(
                kind="lock_added", key=_table(locks[0], new), path=file.path, quote=f"+ {locks[0].strip()}", clear=0.75
            )
        )
    return found


def _table(line: str, known: Sequence[Query]) -> str:
    names = _TABLE.findall(line) or [table for query in known for table in query.tables]
    return names[0] if names else "rows"


def _added(query: Query, file: FileDiff) -> list[Effect]:
    quote = "+ " + " ".join(query.text.split())
    return [
        Effect(kind="query_added", key=table, path=file.path, quote=quote, clear=0.6)
        for table in query.tables
    ] + ([_scan(query, file.path)] if _SCAN.search(query.text) else [])  # fmt: skip


def _altered(old: Query, new: Query, path: str) -> list[Effect]:
    table = new.tables[0]
    quote = f"- {' '.join(old.text.split())[:150]} + {' '.join(new.text.split())[:150]}"
    found = []
    if old.limited and not new.limited:
        found.append(Effect(kind="limit_removed", key=table, path=path, quote=quote, clear=0.95))
    found += [
        Effect(kind="predicate_removed", key=f"{table}.{name}", path=path, quote=quote, clear=0.85)
        for name in sorted(old.conditions - new.conditions)
    ]
    if _SCAN.search(new.text) and not _SCAN.search(old.text):
        found.append(_scan(new, path))
    joined = set(new.tables) - set(old.tables)
    found += [Effect(kind="query_added", key=name, path=path, quote=quote, clear=0.6) for name in sorted(joined)]
    if not found and " ".join(old.text.split()) != " ".join(new.text.split()):
        found.append(Effect(kind="query_changed", key=table, path=path, quote=quote, clear=0.4))
    return found


def _scan(query: Query, path: str) -> Effect:
    return Effect(kind="predicate_removed", key=query.tables[0] if query.tables else "rows", path=path,
                  quote="+ " + " ".join(query.text.split()), clear=0.7)  # fmt: skip


def _orm(file: FileDiff) -> list[Effect]:
    old, new = "\n".join(bare_lines(file.removed, file.path)), "\n".join(bare_lines(file.added, file.path))
    found = []
    in_sql = any(query.limited for query in queries(file.removed, file.path))
    limit = _LIMIT.search(old)
    if limit and not in_sql and not _LIMIT.search(new):
        found.append(Effect(kind="limit_removed", key=_line_of(old, limit.start()), path=file.path,
                            quote=f"- {_line_of(old, limit.start())}", clear=0.8))  # fmt: skip
    found += [
        Effect(
            kind="preload_removed", key=preload.group(1), path=file.path, quote=f"- {_line_of(old, preload.start())}",
            clear=0.85,
        )
        for preload in _PRELOAD.finditer(old)
        if preload.group(1) not in new
    ]  # fmt: skip
    if len(_FILTER.findall(old)) > len(_FILTER.findall(new)):
        spot = _FILTER.search(old)
        assert spot is not None
        found.append(Effect(kind="predicate_removed", key=spot.group(1).strip(), path=file.path,
                            quote=f"- {_line_of(old, spot.start())}", clear=0.7))  # fmt: skip
    return found


def _line_of(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0].strip()


def _loops(file: FileDiff) -> list[Effect]:
    """Remote calls that a change puts inside a loop, by indentation of the lines that are there afterwards."""
    found = []
    for hunk in file.hunks:
        inside: int | None = None
        for mark, text in hunk.lines:
            if mark == "-" or not text.strip():
                continue
            indent = len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
            if inside is not None and indent <= inside:
                inside = None
            remote = _REMOTE.search(text)
            looped = inside is not None or (
                _LOOP.match(text) and "{" in text and remote and text.find("{") < remote.start()
            )
            if mark == "+" and looped and remote:
                found.append(Effect(kind="loop_call_added", key=remote.group(0).rstrip("( "), path=file.path,
                                    quote=f"+ {text.strip()}", clear=0.85))  # fmt: skip
            if inside is None and _LOOP.match(text):
                inside = indent
    return found
