"""incident.yaml: read as data only, with bounds, and refused with the line that is wrong."""

from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ...contracts.base import Contract
from ...contracts.errors import BundleError
from ...contracts.incident import Alert, AnswerSpace, Incident, TimeWindow
from .files import MANIFEST

MAX_BYTES = 1 << 20
MAX_VALUES = 20_000
MAX_DEPTH = 20
_PLAIN = "tag:yaml.org,2002:"
_SEVERITIES = {"high": "critical", "error": "critical", "page": "critical", "low": "info", "medium": "warning",
               "warn": "warning", "notice": "info"}  # fmt: skip
_HINT = "docs/bundle-format.md shows every field; times look like 2026-07-11T12:00:00Z"


class _File(Contract):
    """The file's fields as DESIGN.md section 11 writes them."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    id: str = Field(min_length=1, max_length=200)
    title: str = Field(min_length=1, max_length=2000)
    window: TimeWindow | None = None
    baseline: TimeWindow | None = None
    alerts: tuple[Alert, ...] = Field(default=(), max_length=1000)
    services: tuple[str, ...] = Field(default=(), max_length=5000)
    question: str = Field(default="", max_length=10_000)
    answer_space: AnswerSpace = AnswerSpace()


class _Read(NamedTuple):
    value: object
    lines: dict[tuple[str | int, ...], int]


def read_incident(root: Path) -> Incident:
    path = root / MANIFEST
    raw = _bytes(path)
    try:
        node = YAML(typ="safe", pure=True).compose(raw)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BundleError(
            _at(path, mark.line + 1 if mark else 0), why=f"not YAML: {error.problem}", hint=_HINT
        ) from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise BundleError(_at(path, 0), why=f"not YAML: {type(error).__name__}", hint=_HINT) from None
    if not isinstance(node, MappingNode):
        raise BundleError(_at(path, 1), why="it holds no fields", hint=_HINT)
    read = _Reading(path).read(node)
    return _validated(path, read)


def _bytes(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        raise BundleError(
            f"{str(path.parent)!r} is no bundle", why=f"it has no {MANIFEST}",
            hint="docs/bundle-format.md shows the smallest one",
        )  # fmt: skip
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BundleError(f"{str(path)!r} is larger than 1 MiB", hint="telemetry belongs beside it, not inside")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BundleError(f"{str(path)!r} is no UTF-8", why=f"byte {error.start}", hint="save it as UTF-8") from None
    except OSError as error:
        raise BundleError(f"{str(path)!r} cannot be read", why=error.strerror or str(error)) from None


class _Reading:
    """Turns nodes into plain values; every repeat of an alias counts, so that a bomb stops here."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0
        self._lines: dict[tuple[str | int, ...], int] = {}

    def read(self, node: Node) -> _Read:
        return _Read(self._value(node, ()), self._lines)

    def _value(self, node: Node, where: tuple[str | int, ...]) -> object:
        self._count += 1
        line = node.start_mark.line + 1
        self._lines[where] = line
        if self._count > MAX_VALUES or len(where) > MAX_DEPTH:
            raise BundleError(
                _at(self._path, line), why="too many or too deeply nested values (aliases count each time)"
            )
        if not str(node.tag).startswith(_PLAIN) or "python" in str(node.tag):
            raise BundleError(_at(self._path, line), why=f"the tag {str(node.tag)[:80]!r} is not allowed", hint=_HINT)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if isinstance(node, SequenceNode):
            return [self._value(child, (*where, number)) for number, child in enumerate(node.value)]
        found: dict[str, object] = {}
        for key, child in node.value:
            name = str(key.value) if isinstance(key, ScalarNode) else ""
            if not name or name in found:
                raise BundleError(
                    _at(self._path, key.start_mark.line + 1), why=f"field {name!r} is no name or comes twice"
                )
            found[name] = self._value(child, (*where, name))
        return found

    @staticmethod
    def _scalar(node: ScalarNode) -> object:
        if node.tag == _PLAIN + "null":
            return None
        if node.tag == _PLAIN + "int" and str(node.value).isdecimal():
            return int(node.value) if len(node.value) < 10 else str(node.value)
        return str(node.value)


def _validated(path: Path, read: _Read) -> Incident:
    value = _lenient(read.value)
    try:
        file = _File.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = tuple(first["loc"])
        line = next((read.lines[where[:n]] for n in range(len(where), -1, -1) if where[:n] in read.lines), 0)
        name = ".".join(str(part) for part in where)
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise BundleError(_at(path, line), why=f"{name}: {first['msg']}{more}", hint=_HINT) from None
    fields = file.model_dump(exclude={"schema_version"})
    return Incident.model_validate(fields)


def _lenient(value: object) -> object:
    """Alerts in the words of the tools that send them, and numbers where text is wanted."""
    if not isinstance(value, dict):
        return value
    found = {key: str(v) if key in {"id", "title"} and isinstance(v, int) else v for key, v in value.items()}
    alerts = found.get("alerts")
    if isinstance(alerts, list):
        found["alerts"] = [_alert(alert) if isinstance(alert, dict) else alert for alert in alerts]
    return {key: v for key, v in found.items() if v is not None}


def _alert(alert: dict[str, object]) -> dict[str, object]:
    kept = {key: v for key, v in alert.items() if v is not None}
    severity = str(kept.get("severity", "critical")).lower()
    kept["severity"] = _SEVERITIES.get(severity, severity)
    labels = kept.get("labels")
    if isinstance(labels, dict):
        kept["labels"] = {key: "" if v is None else str(v) for key, v in labels.items()}
    return kept


def _at(path: Path, line: int) -> str:
    return f"{str(path)!r}" + (f", line {line}" if line else "") + " cannot be understood"
