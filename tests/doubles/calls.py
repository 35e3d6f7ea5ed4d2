"""One call of a target, and the attempt that it belongs to."""

from datetime import UTC, datetime, timedelta
from typing import Any

from leadline.contracts.action import ActionAttempt, ActionCommand, ResourceRef
from leadline.contracts.action_catalog import ActionSpec, ArgumentSpec
from leadline.contracts.base import Digest, RunId
from leadline.contracts.ports import ActionCall
from leadline.rules.actions.identity import command_id, fingerprint, idempotency_key, intent_id

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def spec_for(via: Any = None, **more: Any) -> ActionSpec:
    given: dict[str, Any] = {
        "kind": "scale", "title": "t", "effect": "reversible_write", "risk": "low", "target": "x", "via": via,
        "call_seconds": 0.5, "dry_run": "required",
        "arguments": {"change": ArgumentSpec(), "replicas": ArgumentSpec(type="integer")},
    }  # fmt: skip
    return ActionSpec(**(given | more))


def call_for(spec: ActionSpec, arguments: dict[str, Any] | None = None, intent: str = "a") -> ActionCall:
    target = ResourceRef(environment="production", kind="service", name="till")
    run, values = RunId("run-1"), arguments or {"change": "c1", "replicas": 5}
    of = intent_id(run, spec.kind, target, intent)
    command = ActionCommand(
        command_id=command_id(run, of, 1), run_id=run, intent_id=of, tenant="t", user="ada", kind=spec.kind,
        target=target, arguments=values, effect=spec.effect, risk=spec.risk, policy=Digest("0" * 64),
        fingerprint=fingerprint(spec.kind, target, values), idempotency_key=idempotency_key("t", run, of, 1),
        deadline_at=NOW + timedelta(hours=1), created_at=NOW,
    )  # fmt: skip
    return ActionCall(command=command, spec=spec, attempt_id="att-1", epoch=3)


def attempt_of(call: ActionCall) -> ActionAttempt:
    command = call.command
    return ActionAttempt(
        attempt_id="att-1", command_id=command.command_id, n=1, epoch=3, holder="h:1",
        idempotency_key=command.idempotency_key, fingerprint=command.fingerprint, approval_id="apr-1",
        call_seconds=call.spec.call_seconds, started_at=NOW,
    )  # fmt: skip
