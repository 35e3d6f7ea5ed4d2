"""Version bumps of libraries and images."""

import re
from typing import Literal, NamedTuple

from .effects import Effect
from .model import FileDiff

Level = Literal["major", "minor", "patch", "other"]

_ENTRY = re.compile(
    r"""^\s*[-"']?(?:require\s+|<version>|implementation\s+["'])?(?P<name>[@\w][\w./@:-]*?)["']?\s*
    (?:[:=]\s*|==|>=|~=|\^|\s+|:)\s*["'^~>=v]*(?P<version>\d+(?:\.\d+){1,3}[\w.+-]*|v\d+(?:\.\d+){1,3}[\w.+-]*)""",
    re.VERBOSE,
)
_FROM = re.compile(r"^\s*FROM\s+(\S+)", re.IGNORECASE)
_IMAGE = re.compile(r"^\s*image:\s*[\"']?([\w./-]+):([\w.-]+)|^\s*tag:\s*[\"']?([\w.-]+)")


class Bump(NamedTuple):
    name: str
    old: str
    new: str
    level: Level


def bumps(file: FileDiff) -> tuple[Bump, ...]:
    if file.role != "manifest" or file.path.endswith((".sum", ".lock", "-lock.json", "-lock.yaml")):
        return ()
    old, new = _versions(file.removed), _versions(file.added)
    return tuple(
        Bump(name, old.get(name, ""), version, level(old.get(name, ""), version))
        for name, version in new.items()
        if old.get(name) != version
    )


def level(old: str, new: str) -> Level:
    """Which part of a semantic version moved; a moved minor of a 0.x library may break like a major."""
    before, after = _parts(old), _parts(new)
    if not before or not after:
        return "other"
    if before[0] != after[0]:
        return "major"
    if before[1:2] != after[1:2]:
        return "major" if before[0] == 0 else "minor"
    return "patch"


def dependency_effects(file: FileDiff) -> list[Effect]:
    clear = {"major": 0.45, "minor": 0.2, "patch": 0.05, "other": 0.25}
    found = [
        Effect(kind="dependency_bumped", key=bump.name, path=file.path, quote=f"{bump.name} {bump.old} -> {bump.new}",
               old=bump.old, new=bump.new, clear=clear[bump.level])
        for bump in bumps(file)
    ]  # fmt: skip
    return found + _images(file)


def _images(file: FileDiff) -> list[Effect]:
    found: list[Effect] = []
    patterns = {"image": (_FROM,), "config": (_IMAGE,)}.get(file.role, ())
    for edit in file.edits:
        for pattern in patterns:
            old = [line.strip() for line in edit.removed if pattern.match(line)]
            new = [line.strip() for line in edit.added if pattern.match(line)]
            found += [
                Effect(
                    kind="image_changed",
                    key=file.path.rpartition("/")[2],
                    path=file.path,
                    quote=f"- {before} + {after}",
                    old=before,
                    new=after,
                    clear=0.25,
                )
                for before, after in zip(old, new, strict=False)
            ]
    return found


def _versions(lines: tuple[str, ...]) -> dict[str, str]:
    found = (_ENTRY.match(line) for line in lines)
    return {match["name"]: match["version"].lstrip("v") for match in found if match}


def _parts(version: str) -> tuple[int, ...]:
    head = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return tuple(int(part) for part in head.group(1).split(".")) if head else ()
