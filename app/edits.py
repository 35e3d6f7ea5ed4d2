"""A person's edit of a plan or a report, from a YAML or JSON file."""

import json
from datetime import date, datetime
from io import StringIO
from pathlib import Path

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..contracts.errors import UsageError

_LARGEST = 262_144
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
        tree = YAML(typ="safe", pure=True).load(StringIO(text))
        if not isinstance(tree, dict) or not tree:
            raise UsageError(f"edit {str(path)!r} holds no fields", hint=_HINT)
        plain = json.dumps({str(k): v for k, v in tree.items()}, default=_text, allow_nan=False)
    except (YAMLError, ValueError, TypeError, RecursionError) as fault:
        why = " ".join(str(fault).split())[:300]
        raise UsageError(f"edit {str(path)!r} is no plain YAML or JSON", why=why, hint=_HINT) from fault
    if len(plain) > _LARGEST:
        raise UsageError(f"edit {str(path)!r} unfolds to more than {_LARGEST} bytes", hint=_HINT)
    edit: dict[str, JsonValue] = json.loads(plain)
    return edit


def _text(value: object) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} has no place in an edit")
