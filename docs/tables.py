"""The tables of the documentation that say what code says: `make docs` writes them anew, a test compares.

A table stands in a page between `<!-- table NAME -->` and `<!-- end -->`.
"""

import functools
import re
import sys
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from leadline.contracts.action_catalog import (
    ActionCatalog,
    ActionLimits,
    ActionSpec,
    ArgumentSpec,
    CommandOperation,
    CommandTarget,
    Compensation,
    HttpOperation,
    HttpTarget,
    KubernetesOperation,
    KubernetesTarget,
    Polling,
)
from leadline.contracts.lifecycle import LIFECYCLES
from leadline.contracts.task import Budget
from leadline.contracts.team import ActionPolicy, AgentSpec, Fuse, HumanPoint, Requirement, TeamSpec, Topology
from leadline.rules.communication.kinds import RULES
from leadline.rules.communication.matrix import DECIDES, MATRIX
from leadline.rules.modes import TABLE as MODES
from leadline.runtime.settings import Settings

PAGES = Path(__file__).parent
MARKED = re.compile(r"(?P<open><!-- table (?P<name>[\w.]+) -->\n).*?(?P<close><!-- end -->)", re.DOTALL)

COMPUTED = {
    "database": "in the user's data folder", "user": "the login name",
    "ollama_url": "`OLLAMA_HOST`, else `http://127.0.0.1:11434`",
}  # fmt: skip
"""What a default is where it depends on the machine."""


def kind_of(annotation: Any) -> str:
    """A type as a reader of YAML or TOML knows it."""
    made = GENERIC.get(get_origin(annotation))
    if made is not None and annotation is not JsonValue:
        return made(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    names = {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "path"}
    known = "any value" if annotation is JsonValue else str(annotation)
    return names.get(getattr(annotation, "__supertype__", annotation), known)


def _one_of(parts: tuple[Any, ...]) -> str:
    return " or ".join(kind_of(part) for part in parts if part is not type(None))


def _list_of(parts: tuple[Any, ...]) -> str:
    inner = kind_of(parts[0])
    return f"list of {inner}" if "`" not in inner else f"list of: {inner}"


GENERIC: dict[Any, Callable[[tuple[Any, ...]], str]] = {
    Literal: lambda parts: " or ".join(f"`{value}`" for value in parts),
    typing.Annotated: lambda parts: kind_of(parts[0]),
    dict: lambda parts: f"mapping of names to {kind_of(parts[1])}",
    typing.Union: _one_of,
    types.UnionType: _one_of,
    tuple: _list_of,
}


def default_of(name: str, field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        return "" if field.default_factory is dict else COMPUTED[name]
    value = field.default
    if value is None:
        return ""
    if isinstance(value, BaseModel):
        return (
            ", ".join(f"{k} {v:g}" for k, v in value.model_dump(exclude_defaults=True).items() if v) or "its defaults"
        )
    parts = value if isinstance(value, tuple | dict) else (f"{value:g}" if isinstance(value, float) else value,)
    return ", ".join(f"`{part}`" for part in parts)


def fields(model: type[BaseModel]) -> list[str]:
    rows = ["| field | what | default | meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        said = " ".join((field.description or "").split())
        rows.append(f"| `{name}` | {kind_of(field.annotation)} | {default_of(name, field)} | {said} |")
    return rows


TABLES: dict[str, type[BaseModel]] = {
    model.__name__: model
    for model in (
        Settings, TeamSpec, AgentSpec, Budget, HumanPoint, Requirement, ActionPolicy, Fuse,
        ActionCatalog, ActionLimits, ActionSpec, ArgumentSpec, Polling, Compensation, CommandTarget, CommandOperation,
        HttpTarget, HttpOperation, KubernetesTarget, KubernetesOperation,
    )
}  # fmt: skip


TOPOLOGIES: tuple[Topology, ...] = get_args(Topology)


def ways() -> list[str]:
    """The matrix of relations and topologies."""
    rows = [f"| relation | {' | '.join(f'`{t}`' for t in TOPOLOGIES)} |", "|---|---|---|---|---|"]
    for relation, row in MATRIX.items():
        cells = ["open" if row[t].is_open else row[t].instead for t in TOPOLOGIES]
        rows.append(f"| `{relation}` | {' | '.join(cells)} |")
    return rows


def kinds() -> list[str]:
    """What each kind of message is for."""
    rows = ["| kind | channel | from | to | needs | read by |", "|---|---|---|---|---|---|"]
    for kind, rule in RULES.items():
        needs = [name.replace("_refs", " reference") for name in rule.refs]
        needs += ["tasks that depend on each other"] if rule.needs_tie else []
        parties = [", ".join(sorted(r.replace("_", " ") for r in roles)) for roles in (rule.senders, rule.receivers)]
        reach = rule.visibility.replace("_", " ")
        rows.append(
            f"| `{kind}` | {rule.channel.replace('_', ' ')} | {' | '.join(parties)} | {', '.join(needs)} | {reach} |"
        )
    return rows


def modes() -> list[str]:
    """How a task is given out in which topology."""
    rows = [f"| mode | {' | '.join(f'`{t}`' for t in TOPOLOGIES)} |", "|---|---|---|---|---|"]
    for mode, row in MODES.items():
        rows.append(f"| `{mode}` | {' | '.join(row[t].replace('_', ' ') for t in TOPOLOGIES)} |")
    return rows


def deciders() -> list[str]:
    """Whose word it is."""
    rows = [f"| matter | {' | '.join(f'`{t}`' for t in TOPOLOGIES)} |", "|---|---|---|---|---|"]
    for matter, row in DECIDES.items():
        cells = [", ".join(sorted(r.replace("_", " ") for r in row[t])) for t in TOPOLOGIES]
        rows.append(f"| {matter} | {' | '.join(cells)} |")
    return rows


def lifecycle(name: str) -> list[str]:
    rows = ["| from | to | guard |", "|---|---|---|"]
    for state, steps in LIFECYCLES[name].items():
        rows += [f"| `{state}` | `{to}` | {guard.replace('_', ' ')} |" for to, guard in steps.items()]
    return rows


RULE_TABLES: dict[str, Callable[[], list[str]]] = {
    "communication.ways": ways,
    "communication.kinds": kinds,
    "communication.deciders": deciders,
    "allocation.modes": modes,
    **{f"lifecycle.{name}": functools.partial(lifecycle, name) for name in LIFECYCLES},
}


def rows_of(name: str) -> list[str]:
    return RULE_TABLES[name]() if name in RULE_TABLES else fields(TABLES[name])


def renewed(page: str) -> str:
    """The page with its tables as the code has them now."""
    return MARKED.sub(lambda m: f"{m['open']}{chr(10).join(rows_of(m['name']))}\n{m['close']}", page)


def main() -> int:
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (new := renewed(page)) != page:
            path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
