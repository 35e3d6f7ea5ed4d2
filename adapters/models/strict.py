"""A model's text becomes a form, or is refused with reasons that it can act on."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import ValidationError

from ...contracts.errors import ModelError
from ...contracts.proposal import Proposal

P = TypeVar("P", bound=Proposal)

ANSWER_CHARS = 32_000
"""A longer answer is no answer to a small form."""
DEPTH = 12
REASONS_SHOWN = 8
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _refuse_constant(name: str) -> float:
    msg = f"{name} is no number"
    raise ValueError(msg)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        msg = f"{text[:20]} is too large"
        raise ValueError(msg)
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            msg = f"the field {name[:40]!r} stands there twice"
            raise ValueError(msg)
        found[name] = value
    return found


def _depth(text: str) -> int:
    deepest = level = 0
    for char in _STRING.sub("", text):
        if char in "[{":
            level += 1
            deepest = max(deepest, level)
        elif char in "]}":
            level -= 1
    return deepest


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _load(text: str) -> object:
    """JSON without what JSON parsers let through: duplicate keys, NaN, endless numbers, depth, size."""
    if not text.strip():
        raise ModelError("the answer is empty", kind="not_json")
    if len(text) > ANSWER_CHARS:
        raise ModelError(f"the answer has {len(text)} characters, more than {ANSWER_CHARS}", kind="not_json")
    if _depth(text) > DEPTH:
        raise ModelError(f"the answer is nested deeper than {DEPTH} levels", kind="not_json")
    try:
        loaded: object = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_no_duplicates
        )
    except ValueError as error:
        prose = text.lstrip()[0] not in "{["
        kind = "format_ignored" if prose else "not_json"
        raise ModelError("the answer is not one JSON object", kind=kind, why=str(error)[:200]) from error
    return loaded


def _reasons(error: ValidationError) -> str:
    """Where and what, never the value: it may be anything."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    shown = [f"{'.'.join(map(str, e['loc'])) or 'form'}: {e['msg']}"[:200] for e in found[:REASONS_SHOWN]]
    hidden = len(found) - len(shown)
    return "; ".join(shown + ([f"and {hidden} more"] if hidden else []))


def read_form(text: str, form: type[P]) -> P:
    """Raise ModelError of kind `not_json`, `format_ignored` or `wrong_shape`."""
    loaded = _load(text)
    if not isinstance(loaded, dict):
        raise ModelError("the answer is JSON, but not an object", kind="wrong_shape")
    if any(_CONTROL.search(inner) for inner in _texts(loaded)):
        raise ModelError("the answer holds control characters", kind="wrong_shape")
    try:
        return form.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise ModelError("the answer does not fit the form", kind="wrong_shape", why=_reasons(error)) from error
