"""A person's edit of a plan or a report, from a YAML or JSON file."""

import math
from datetime import date
from io import StringIO
from itertools import count
from pathlib import Path

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..contracts.errors import UsageError

_LARGEST = 262_144
_MOST_VALUES = 10_000
_HINT = "docs/cli.md shows what a plan's and a report's edit may hold"


def read_edit(path: Path) -> dict[str, JsonValue]:
    """Raise `UsageError`; whether the edit may stand is for the same checks as a proposal's."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"edit {str(path)!r} cannot be read", why=str(fault), hint=_HINT) from fault
    if len(text) > _LARGEST:
        raise UsageError(f"edit {str(path)!r} is larger than {_LARGEST} bytes", hint=_HINT)
    try:
        plain = _plain(YAML(typ="safe", pure=True).load(StringIO(text)), count())
    except (YAMLError, ValueError, RecursionError) as fault:
        why = " ".join(str(fault).split())[:300]
        raise UsageError(f"edit {str(path)!r} is no plain YAML or JSON", why=why, hint=_HINT) from fault
    if not isinstance(plain, dict) or not plain:
        raise UsageError(f"edit {str(path)!r} holds no fields", hint=_HINT)
    return plain


def _plain(value: object, seen: "count[int]") -> JsonValue:
    """Every repeat of an alias counts, so that a bomb stops here."""
    if next(seen) > _MOST_VALUES:
        raise ValueError(f"it unfolds to more than {_MOST_VALUES} values")
    if isinstance(value, dict):
        return {str(key): _plain(inner, seen) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, seen) for inner in value]
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(f"{value!r} has no place in an edit")
