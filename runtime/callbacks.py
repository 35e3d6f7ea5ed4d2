"""A target's callback: whose it is, and whether it is the target's own."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..adapters.targets.signing import is_recent, is_signed, read_secret
from ..contracts.action import Action
from ..contracts.action_catalog import HttpTarget
from ..contracts.errors import ActionRefused
from ..contracts.ports import Deps, TargetReply
from ..nodes.action_book import desk_of, spec_of

LARGEST = 262_144
OUTCOMES = ("succeeded", "failed", "pending")


class Callback(NamedTuple):
    action: Action
    reply: TargetReply


def checked_callback(actions: Sequence[Action], deps: Deps, body: bytes, headers: Mapping[str, str]) -> Callback:
    """Raise `ActionRefused` for what is not signed by the command's own target, is too old, or is about nothing."""
    fields = _fields(body)
    key = str(fields.get("idempotency_key", ""))
    action = next((a for a in actions if a.command.idempotency_key == key and a.attempts), None)
    if action is None:
        raise ActionRefused("a callback is about no action of this run", why=f"key {key[:60]!r}")
    secret = _secret(action, deps)
    small = {name.lower(): value for name, value in headers.items()}
    if not is_signed(secret, small, body):
        raise ActionRefused(f"a callback about {action.key} is not signed by its target")
    if not is_recent(small, deps.clock.now()):
        raise ActionRefused(f"a callback about {action.key} is too old", why="its time is more than five minutes off")
    outcome = fields.get("outcome")
    if outcome not in OUTCOMES:
        raise ActionRefused(f"a callback about {action.key} names no outcome", why=f"{str(outcome)[:40]!r}")
    reply = TargetReply(
        outcome,
        body=body,
        reference=str(fields.get("reference", "")),
        echoed_key=key,
        echoed_fingerprint=str(fields.get("fingerprint", "")),
        must_echo=True,
        detail=str(fields.get("detail", "")),
    )
    return Callback(action, reply)


def _secret(action: Action, deps: Deps) -> bytes:
    spec = spec_of(action, desk_of(deps))
    target = desk_of(deps).catalog.targets.get(spec.target) if spec else None
    if not isinstance(target, HttpTarget) or not target.secret_file:
        raise ActionRefused(f"the target of {action.key} signs no callbacks", why="the catalog gives it no secret")
    return read_secret(target.secret_file)


def _fields(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body) if len(body) <= LARGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ActionRefused("a callback is no JSON object")
    return found
