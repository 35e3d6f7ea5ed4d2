"""`{name}` in a catalog's templates: each stands for one checked value, inside the part of the text where it is."""

import re
from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from ...contracts.action import ActionCommand

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
STANDARD = frozenset({"kind", "target", "environment", "command", "key", "reference"})
"""Names that every command has; arguments may not be called so."""


def placeholders(template: JsonValue) -> Iterator[str]:
    if isinstance(template, str):
        yield from _PLACE.findall(template)
    elif isinstance(template, list):
        for inner in template:
            yield from placeholders(inner)
    elif isinstance(template, dict):
        for key, inner in template.items():
            yield from _PLACE.findall(key)
            yield from placeholders(inner)


def values_of(command: ActionCommand, reference: str = "") -> dict[str, JsonValue]:
    return {
        **command.arguments,
        "kind": command.kind,
        "target": command.target.name,
        "environment": command.target.environment,
        "command": command.command_id,
        "key": command.idempotency_key,
        "reference": reference,
    }


def filled_text(template: str, values: Mapping[str, JsonValue], escape: Callable[[str], str] = str) -> str:
    """The template is read once: a value that looks like a placeholder stays as it is."""
    return _PLACE.sub(lambda m: escape(as_text(values.get(m.group(1), ""))), template)


def filled(template: JsonValue, values: Mapping[str, JsonValue]) -> JsonValue:
    """A string that is nothing but one placeholder takes its value's own type."""
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        return values.get(whole.group(1), "") if whole else filled_text(template, values)
    if isinstance(template, list):
        return [filled(inner, values) for inner in template]
    if isinstance(template, dict):
        return {filled_text(key, values): filled(inner, values) for key, inner in template.items()}
    return template


def as_text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
