"""Which action is which: fingerprints, keys and ids, all of them from code."""

import unicodedata
from collections.abc import Mapping

from pydantic import JsonValue

from ...contracts.action import ActionCommand, ResourceRef
from ...contracts.base import Digest, RunId, derived_id, digest_of


def normalised(value: JsonValue) -> JsonValue:
    """One spelling of equal text; `5.0` is `5`, whatever wrote it."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [normalised(v) for v in value]
    if isinstance(value, dict):
        return {unicodedata.normalize("NFC", k): normalised(v) for k, v in value.items()}
    return value


def fingerprint(kind: str, target: ResourceRef, arguments: Mapping[str, JsonValue]) -> Digest:
    """What the action means. Times, attempts, ids and who asked never enter it."""
    named = {k: normalised(v) for k, v in target.model_dump().items()}
    return digest_of([kind, named, normalised(dict(arguments))])


def intent_id(run_id: RunId, kind: str, target: ResourceRef, purpose: str = "") -> str:
    """One purpose within a run: this kind of action on this resource."""
    return derived_id("int", run_id, kind, str(target), purpose)


def command_id(run_id: RunId, intent: str, revision: int) -> str:
    return derived_id("cmd", run_id, intent, revision)


def idempotency_key(tenant: str, run_id: RunId, intent: str, revision: int) -> str:
    """What the target knows a submission by: equal for every attempt at a command, and for no other command."""
    return f"idk-{digest_of([tenant, run_id, intent, revision])[:32]}"


def is_itself(command: ActionCommand) -> bool:
    """Whether a command still means what its fingerprint says, and carries the key and id of its intent."""
    made = (command.run_id, command.intent_id, command.revision)
    return (
        command.fingerprint == fingerprint(command.kind, command.target, command.arguments)
        and command.idempotency_key == idempotency_key(command.tenant, *made)
        and command.command_id == command_id(*made)
    )
