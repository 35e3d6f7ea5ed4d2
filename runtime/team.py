"""Team files: read, checked, every fault with its line."""

from functools import cache
from importlib.resources import files
from io import StringIO
from pathlib import Path

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from ..contracts.errors import TeamError
from ..contracts.team import ActionMode, ActionPolicy, HumanPoint, HumanPointName, TeamSpec
from .lines import line_of, plain
from .settings import Settings

LARGEST = 262_144
"""Bytes of a team file."""
HINT = "docs/team-file.md describes every field"


def load_team(path: Path | None = None) -> TeamSpec:
    """The team of a file, or the shipped one. Raise `TeamError`, naming file and line."""
    if path is None:
        return parse_team((files("leadline.runtime") / "teams" / "default.yaml").read_text("utf-8"), "the shipped team")
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise TeamError(f"team file {str(path)!r} cannot be read", why=str(fault), hint=HINT) from fault
    if len(text) > LARGEST:
        raise TeamError(f"team file {str(path)!r} is larger than {LARGEST} bytes", hint=HINT)
    return parse_team(text, str(path))


@cache
def parse_team(text: str, name: str) -> TeamSpec:
    try:
        tree = YAML(typ="rt", pure=True).load(StringIO(text))
    except YAMLError as fault:
        raise TeamError(f"{name} is no YAML", why=" ".join(str(fault).split())[:300], hint=HINT) from fault
    if not isinstance(tree, CommentedMap):
        raise TeamError(f"{name} holds no team", why="its top level is not a mapping", hint=HINT)
    try:
        team = TeamSpec.model_validate(plain(tree))
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise TeamError(f"{name}{line_of(tree, first['loc'])}: {place}", why=first["msg"], hint=HINT) from fault
    _check(team, tree, name)
    return team


def adjusted(
    team: TeamSpec, settings: Settings, ask: frozenset[HumanPointName], act: ActionMode | None = None
) -> TeamSpec:
    """The team for one run: with the budgets, human points and actions that its command line overrides."""
    wanted = {"tokens": settings.max_tokens, "seconds": settings.max_seconds, "probe_calls": settings.max_probes}
    budget = team.budget.model_copy(update={k: v for k, v in wanted.items() if v is not None})
    points = {p.name: p for p in team.human_points}
    for name in ask:
        points[name] = points.get(name, HumanPoint(name=name)).model_copy(update={"when": "always"})
    actions = team.actions if act is None else ActionPolicy(mode=act)
    return team.model_copy(update={"budget": budget, "human_points": tuple(points.values()), "actions": actions})


def _check(team: TeamSpec, tree: CommentedMap, name: str) -> None:
    ids = [a.id for a in team.agents]
    for index, agent in enumerate(ids):
        if agent in ids[:index]:
            raise TeamError(
                f"{name}{line_of(tree, ('agents', index, 'id'))}: two agents are called {agent!r}", hint=HINT
            )
    if team.root_owner not in ids:
        raise TeamError(
            f"{name}{line_of(tree, ('root_owner',))}: root_owner {team.root_owner!r} is no agent", hint=HINT
        )
    known = {c for a in team.agents for c in a.capabilities}
    for index, capability in enumerate(team.person_assigns):
        if capability not in known:
            place = line_of(tree, ("person_assigns", index))
            raise TeamError(f"{name}{place}: person_assigns: nobody has capability {capability!r}", hint=HINT)
    for index, point in enumerate(team.human_points):
        if point.on_timeout == "escalate" and not point.escalate_to:
            place = line_of(tree, ("human_points", index))
            raise TeamError(f"{name}{place}: human point {point.name!r} escalates to nobody: escalate_to", hint=HINT)
    if not any(a.accepts_delegation for a in team.agents):
        raise TeamError(f"{name}: no agent takes delegated work", hint=HINT)
