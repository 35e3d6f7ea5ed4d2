"""Artifact conflicts: two patches of one file. What a three-way merge cannot join is divided anew, never guessed."""

from collections.abc import Sequence
from typing import NamedTuple

from three_merge import merge

from ...contracts.arbitration import Authority, Conflict, ConflictSide
from ...contracts.base import Digest, derived_id, digest_of

MARK = "<<<<<<< ++"
"""What the merge library writes where both sides changed the same place."""


class Patch(NamedTuple):
    """A new content of a file, and the content that it was made from."""

    path: str
    base: str
    content: str
    by: str

    @property
    def digest(self) -> Digest:
        return digest_of(self.content.encode())


class Merged(NamedTuple):
    path: str
    content: str | None
    """None where the sides changed the same place."""
    why: str = ""


def artifact_conflicts(patches: Sequence[Patch]) -> tuple[Conflict, ...]:
    """One for each file that several patches change differently."""
    by_path: dict[str, list[Patch]] = {}
    for patch in patches:
        by_path.setdefault(patch.path, []).append(patch)
    return tuple(_conflict(path, group) for path, group in by_path.items() if len({p.digest for p in group}) > 1)


def merge_patches(patches: Sequence[Patch]) -> Merged:
    """Join patches of one file, one after the other; they must share their base."""
    first, *others = patches
    content = first.content
    for other in others:
        if other.base != first.base:
            return Merged(first.path, None, f"{other.by} worked on another version than {first.by}")
        content = merge(content, other.content, first.base)
        if MARK in content:
            return Merged(first.path, None, f"{other.by} and those before change the same place")
    return Merged(first.path, content)


def _conflict(path: str, patches: Sequence[Patch]) -> Conflict:
    sides = tuple(ConflictSide(ref=p.digest, says=f"{p.by} changes {path}", by=p.by) for p in patches)
    return Conflict(
        conflict_id=derived_id("cfl", "artifact", path, *(s.ref for s in sides)),
        conflict_class="artifact",
        subject=path,
        description=f"{len(patches)} patches change {path}",
        artifacts=tuple(p.digest for p in patches),
        sides=sides,
        risk="medium",
        options=("three-way merge, then its checks", "divide the work anew"),
        authority=Authority(type="task_verifier", ref="three-way-merge@1"),
        decision_owner="rule:three-way-merge@1",
    )
