"""Renders template files: sandboxed, and an unknown variable is an error."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ..contracts.ports import Rendered
from .block import data_block
from .lines import FILTERS

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment


def template_text(name: str) -> str:
    return files(__package__).joinpath(f"{name}.j2").read_text(encoding="utf-8")


@cache
def environment() -> "SandboxedEnvironment":
    """Autoescape is off: prompts are text, and what comes from telemetry passes the `data` filter instead."""
    from jinja2 import FunctionLoader, StrictUndefined  # noqa: PLC0415  # commands that ask no model start faster
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    env = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(template_text),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters["data"] = data_block
    env.filters.update(FILTERS)
    return env


def render(name: str, variables: Mapping[str, object]) -> Rendered:
    env = environment()
    return Rendered(
        system=env.get_template("system").render(),
        shared=env.get_template("shared").render(variables),
        task=env.get_template(name).render(variables),
    )
