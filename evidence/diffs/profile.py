"""Everything that is said of one change's diff."""

from collections.abc import Callable
from dataclasses import dataclass

from .bounds import bound_effects
from .calls import call_effects, calls, scope_effects, target_effects
from .concurrency import concurrency_effects
from .constants import constant_effects
from .defaults import default_effects
from .dependencies import Bump, bumps, dependency_effects
from .effects import Effect, EffectKind
from .fields import field_effects, fields
from .growth import growth_effects
from .guards import guard_effects
from .innocence import Innocence, innocence_of
from .locks import lock_effects
from .migrations import migration_effects
from .model import Diff, FileDiff
from .naming import flip_effects, setting_effects, wire_effects
from .operators import operator_effects
from .patterns import pattern_effects
from .queries import query_effects
from .text import bare_lines, strings

PLAIN = 0.6
"""Clearness from which an effect stands against a change that looks innocent."""
_BY_LOOKS = frozenset({"refactor", "hardening_only", "observability_only"})
_HARMLESS: frozenset[EffectKind] = frozenset({"migration_safe", "table_created", "call_removed", "text_changed"})
MAX_EFFECTS = 12
"""Of one change: the clearest are kept."""

_READERS: tuple[Callable[[FileDiff], list[Effect]], ...] = (
    field_effects, migration_effects, query_effects, guard_effects, scope_effects, target_effects,
    call_effects, constant_effects, operator_effects,
    growth_effects, dependency_effects, lock_effects, bound_effects, pattern_effects, setting_effects, flip_effects,
    wire_effects, concurrency_effects, default_effects,
)  # fmt: skip
_SPECIFIC: frozenset[EffectKind] = frozenset({"constant_changed", "text_changed", "switch_changed"})


@dataclass(frozen=True)
class Profile:
    diff: Diff
    effects: tuple[Effect, ...]
    """Clearest first."""
    innocence: Innocence | None
    bumps: tuple[Bump, ...]

    @property
    def tables_created(self) -> frozenset[str]:
        return frozenset(e.key.rpartition(".")[2].lower() for e in self.effects if e.kind == "table_created")


def profile_of(diff: Diff) -> Profile:
    innocence = innocence_of(diff)
    files = [file for file in diff.files if file.production and file.role not in {"docs", "tests", "ci", "ui"}]
    found = [effect for file in files for reader in _READERS for effect in reader(file)]
    found = _without_moved(found, files)
    created = {e.key.rpartition(".")[2].lower() for e in found if e.kind == "table_created"}
    found = [e for e in found if not (e.kind == "query_added" and e.key.rpartition(".")[2].lower() in created)]
    if not found and innocence is None:
        found = [effect for file in files for effect in _rest(file)]
    effects = _distinct(found)[:MAX_EFFECTS]
    if innocence in _BY_LOOKS and any(e.clear >= PLAIN and e.kind not in _HARMLESS for e in effects):
        innocence = None
    return Profile(
        diff=diff,
        effects=effects,
        innocence=innocence,
        bumps=tuple(bump for file in diff.files for bump in bumps(file)),
    )


def _without_moved(found: list[Effect], files: list[FileDiff]) -> list[Effect]:
    """Nothing is removed that the same diff sets down again elsewhere."""
    called = {name for file in files for name in calls(file.added, file.path)}
    named = {field.name for file in files for field in fields(file.added, file.path)}
    named |= {text for file in files for line in bare_lines(file.added, file.path) for text in strings(line)}
    return [
        effect
        for effect in found
        if not (effect.kind == "call_removed" and effect.key in called)
        and not (effect.kind in {"field_removed", "field_renamed"} and effect.key in named)
    ]


def _rest(file: FileDiff) -> list[Effect]:
    """What no rule names, still told, so that it can be compared with the symptom."""
    removed, added = bare_lines(file.removed, file.path), bare_lines(file.added, file.path)
    if not removed and not added:
        return []
    line = f"- {removed[0]}" if removed else f"+ {added[0]}"
    return [Effect(kind="behaviour_changed" if removed else "behaviour_added", key=file.path.rpartition("/")[2],
                   path=file.path, quote=line, clear=0.25)]  # fmt: skip


def _distinct(effects: list[Effect]) -> tuple[Effect, ...]:
    """One effect per kind and key; a constant told by two files counts once."""
    best: dict[tuple[str, str], Effect] = {}
    for effect in effects:
        key = (
            effect.kind,
            f"{effect.old_value}->{effect.new_value}"
            if effect.kind in _SPECIFIC and effect.old_value is not None
            else effect.key,
        )
        if key not in best or effect.clear > best[key].clear:
            best[key] = effect
    return tuple(sorted(best.values(), key=lambda e: (-e.clear, e.kind, e.key, e.path)))
