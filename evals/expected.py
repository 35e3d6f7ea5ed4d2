"""What a case's answer should be: `expected.yaml`, kept beside the bundle and never inside it."""

from io import StringIO
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..contracts.base import Contract
from ..contracts.errors import DatasetError
from ..contracts.evidence import Source
from ..contracts.incident import CauseKind
from ..contracts.report import Outcome

Judged = Literal["ref", "service", "reason"]
FILE_NAME = "expected.yaml"


class ExpectedCause(Contract):
    """One cause that counts as right."""

    kind: CauseKind
    ref: str
    """Its name; a change may be named by the first seven or more characters of its id."""
    service: str = ""
    reason: str = ""
    """The fault kind, where the asker has one."""
    aliases: tuple[str, ...] = ()
    """Other names of the same thing: a pod of the service, a short id."""
    reason_aliases: tuple[str, ...] = ()
    """Other words for the same fault kind."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.ref, *self.aliases)


class Expected(Contract):
    """The truth of one case; only scorers read it."""

    schema_version: Literal[1] = Field(default=1, alias="schema", serialization_alias="schema")
    outcome: Outcome
    causes: tuple[ExpectedCause, ...] = ()
    """Any one is right; with `all_of` the whole set is."""
    all_of: bool = False
    judged_by: tuple[Judged, ...] = ("ref",)
    """What of a cause must be equal for an answer to count as right."""
    first_failing_service: str = ""
    affected_services: tuple[str, ...] = ()
    remediation: str = ""
    forbidden: tuple[ExpectedCause, ...] = ()
    """Decoys: naming one of them first is worse than being wrong."""
    facts: tuple[str, ...] = ()
    """What a report must say, each with an observation behind it."""
    required_evidence: tuple[Source, ...] = ()
    """Sources without which the answer would be a guess."""
    healthy_control: bool = False
    """Nothing is broken here: naming a cause is a false alarm."""
    candidates: int | None = Field(default=None, ge=1)
    """How many answers were possible, for the chance level; without it as many as the answer space lists."""
    official: dict[str, JsonValue] = Field(default_factory=dict)
    """What the format's own scorer needs, as the format has it."""
    tags: dict[str, str] = Field(default_factory=dict)
    """Source, tier, fault, system, split: what results are grouped by."""


def read_expected(path: Path) -> Expected:
    try:
        raw = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DatasetError(f"case {path.parent.name!r} has no {FILE_NAME}", why=str(path)) from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise DatasetError(f"case {path.parent.name!r}: {path.name} is not YAML", why=str(error)) from error
    try:
        return Expected.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DatasetError(
            f"case {path.parent.name!r}: {path.name} does not hold together", why=f"{where}: {first['msg']}"
        ) from error


def write_expected(path: Path, expected: Expected) -> None:
    path.write_text(to_yaml(expected.model_dump(mode="json", by_alias=True, exclude_defaults=True)), encoding="utf-8")


def to_yaml(value: dict[str, JsonValue]) -> str:
    """YAML with `schema: 1` first, keys in the order given, and no line folding."""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 4096
    yaml.allow_unicode = True
    out = StringIO()
    yaml.dump({"schema": 1, **value}, out)
    return out.getvalue()
