"""The tables of the documentation that say what code says: `make docs` writes them anew, a test compares.

A table stands in a page between `<!-- table NAME -->` and `<!-- end -->`.
"""

import re
import sys
import types
import typing
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
from leadline.contracts.task import Budget
from leadline.contracts.team import ActionPolicy, AgentSpec, Fuse, HumanPoint, Requirement, TeamSpec
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
    if annotation is JsonValue:
        return "any value"
    if get_origin(annotation) is typing.Annotated:
        return kind_of(get_args(annotation)[0])
    if get_origin(annotation) is dict:
        return f"mapping of names to {kind_of(get_args(annotation)[1])}"
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(annotation))
    if get_origin(annotation) in {typing.Union, types.UnionType}:
        return " or ".join(kind_of(part) for part in get_args(annotation) if part is not type(None))
    if get_origin(annotation) is tuple:
        inner = kind_of(get_args(annotation)[0])
        return f"list of {inner}" if "`" not in inner else f"list of: {inner}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    names = {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "path"}
    return names.get(getattr(annotation, "__supertype__", annotation), str(annotation))


def default_of(name: str, field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        return "" if field.default_factory is dict else COMPUTED[name]
    value = field.default
    if isinstance(value, dict):
        return ", ".join(f"`{key}`" for key in value)
    if value is None or value == ():
        return ""
    if isinstance(value, BaseModel):
        return (
            ", ".join(f"{k} {v:g}" for k, v in value.model_dump(exclude_defaults=True).items() if v) or "its defaults"
        )
    if isinstance(value, tuple):
        return ", ".join(f"`{part}`" for part in value)
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


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


def renewed(page: str) -> str:
    """The page with its tables as the code has them now."""
    return MARKED.sub(lambda m: f"{m['open']}{chr(10).join(fields(TABLES[m['name']]))}\n{m['close']}", page)


def main() -> int:
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (new := renewed(page)) != page:
            path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
