"""The catalog of actions: read, checked, every fault with its line."""

import ipaddress
from collections.abc import Iterator, Sequence
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import re2
from pydantic import JsonValue, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from ..adapters.targets.guard import place_of
from ..contracts.action_catalog import (
    ActionCatalog,
    ActionSpec,
    ArgumentSpec,
    CommandOperation,
    HttpOperation,
    HttpTarget,
    KubernetesOperation,
    KubernetesTarget,
)
from ..contracts.errors import CatalogError
from ..rules.actions.arguments import check_arguments
from ..rules.actions.templates import STANDARD, placeholders
from .lines import line_of, plain

LARGEST = 262_144
"""Bytes of a catalog."""
HINT = "docs/actions.md describes every field"


class Fault(NamedTuple):
    place: tuple[int | str, ...]
    why: str


def load_catalog(path: Path | None = None) -> ActionCatalog:
    """The catalog of a file, or the shipped one. Raise `CatalogError`, naming file and line."""
    if path is None:
        shipped = files("leadline.runtime") / "catalogs" / "actions.yaml"
        return parse_catalog(shipped.read_text("utf-8"), "the shipped catalog")
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise CatalogError(f"catalog {str(path)!r} cannot be read", why=str(fault), hint=HINT) from fault
    if len(text) > LARGEST:
        raise CatalogError(f"catalog {str(path)!r} is larger than {LARGEST} bytes", hint=HINT)
    return parse_catalog(text, str(path))


def parse_catalog(text: str, name: str) -> ActionCatalog:
    try:
        tree = YAML(typ="rt", pure=True).load(StringIO(text))
    except YAMLError as fault:
        raise CatalogError(f"{name} is no YAML", why=" ".join(str(fault).split())[:300], hint=HINT) from fault
    if not isinstance(tree, CommentedMap):
        raise CatalogError(f"{name} holds no catalog", why="its top level is not a mapping", hint=HINT)
    fields = plain(tree)
    if fields.pop("schema", 1) != 1:
        raise CatalogError(f"{name}{line_of(tree, ('schema',))}: schema", why="this version reads schema 1", hint=HINT)
    try:
        catalog = ActionCatalog.model_validate(fields)
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CatalogError(f"{name}{line_of(tree, first['loc'])}: {place}", why=first["msg"], hint=HINT) from fault
    for found in _faults(catalog):
        place = ".".join(str(part) for part in found.place)
        raise CatalogError(f"{name}{line_of(tree, found.place)}: {place}", why=found.why, hint=HINT)
    return catalog


def _faults(catalog: ActionCatalog) -> Iterator[Fault]:
    for name, target in catalog.targets.items():
        if isinstance(target, HttpTarget | KubernetesTarget):
            yield from _address_faults(("targets", name), target.url, target.networks)
    known: set[str] = set()
    for index, spec in enumerate(catalog.kinds):
        place = ("kinds", index)
        if spec.kind in known:
            yield Fault((*place, "kind"), f"two kinds are called {spec.kind!r}")
        known.add(spec.kind)
        yield from _argument_faults(place, spec)
        yield from _operation_faults(place, spec, catalog)
        yield from _undo_faults(place, spec, catalog)


def _address_faults(place: tuple[int | str, ...], url: str, networks: Sequence[str]) -> Iterator[Fault]:
    try:
        place_of(url)
    except ValueError as why:
        yield Fault((*place, "url"), str(why))
    for n, network in enumerate(networks):
        try:
            ipaddress.ip_network(network)
        except ValueError as why:
            yield Fault((*place, "networks", n), str(why))


def _argument_faults(place: tuple[int | str, ...], spec: ActionSpec) -> Iterator[Fault]:
    for name, described in spec.arguments.items():
        where = (*place, "arguments", name)
        if name in STANDARD or not name.isidentifier() or name != name.lower():
            yield Fault(where, f"{name!r} cannot be the name of an argument")
        try:
            re2.compile(described.pattern)
        except re2.error as why:
            yield Fault((*where, "pattern"), f"no RE2 expression: {why}")
            continue
        yield from _default_faults(where, name, described, spec)


def _default_faults(
    where: tuple[int | str, ...], name: str, described: ArgumentSpec, spec: ActionSpec
) -> Iterator[Fault]:
    if described.default is None:
        return
    alone = spec.model_copy(update={"arguments": {name: described}})
    for fault in check_arguments(alone, {name: described.default}).faults:
        yield Fault((*where, "default"), fault)


def _operation_faults(place: tuple[int | str, ...], spec: ActionSpec, catalog: ActionCatalog) -> Iterator[Fault]:
    target = catalog.targets.get(spec.target)
    if target is None:
        yield Fault((*place, "target"), f"no target {spec.target!r}; there are: {', '.join(catalog.targets)}")
        return
    if target.type == "dry-run":
        return
    if spec.via is None or spec.via.type != target.type:
        yield Fault((*place, "via"), f"target {spec.target!r} needs an operation of type {target.type!r}")
        return
    if target.type == "kubernetes" and spec.dry_run != "required":
        yield Fault((*place, "dry_run"), "a patch needs the version that its dry run saw: dry_run must be required")
    if isinstance(spec.via, CommandOperation):
        yield from _program_faults(place, spec.via)
    names = STANDARD | set(spec.arguments)
    for field, template in _templates(spec):
        unknown = sorted(set(placeholders(template)) - names)
        if unknown:
            yield Fault((*place, "via", field), f"no argument {unknown[0]!r} for {{{unknown[0]}}}")


def _program_faults(place: tuple[int | str, ...], operation: CommandOperation) -> Iterator[Fault]:
    """No value chooses the program."""
    for field in ("argv", "dry_argv", "outcome_argv"):
        argv: tuple[str, ...] = getattr(operation, field)
        if argv and ("{" in argv[0] or not argv[0]):
            yield Fault((*place, "via", field, 0), "the program itself is no place for a value")


def _templates(spec: ActionSpec) -> Iterator[tuple[str, JsonValue]]:
    match spec.via:
        case CommandOperation():
            yield "argv", list(spec.via.argv)
            yield "dry_argv", list(spec.via.dry_argv)
            yield "outcome_argv", list(spec.via.outcome_argv)
        case HttpOperation():
            for field in ("path", "status_path", "dry_path", "outcome_path", "body"):
                yield field, getattr(spec.via, field)
        case KubernetesOperation():
            yield "path", spec.via.path
            yield "patch", spec.via.patch


def _undo_faults(place: tuple[int | str, ...], spec: ActionSpec, catalog: ActionCatalog) -> Iterator[Fault]:
    undo = spec.compensation
    if undo is None:
        return
    by = catalog.spec(undo.kind)
    if by is None:
        yield Fault((*place, "compensation", "kind"), f"no kind {undo.kind!r}")
        return
    unknown = sorted(set(undo.arguments) - set(by.arguments))
    if unknown:
        yield Fault((*place, "compensation", "arguments", unknown[0]), f"{undo.kind} takes no argument {unknown[0]!r}")
    for name in placeholders(dict(undo.arguments)):
        if name not in spec.arguments:
            yield Fault((*place, "compensation", "arguments"), f"{spec.kind} has no argument {name!r}")
