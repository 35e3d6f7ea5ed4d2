"""What must be there before an action changes its state."""

from collections.abc import Callable
from typing import NamedTuple

from ...contracts.action import Action, ActionAttempt, ExecutionReceipt, ReceiptOutcome
from ...contracts.approval import ApprovalDecision

MACHINES = ("policy:", "rule:", "rules:", "model:", "agent:", "node:", "ollama:", "scripted:", "target:")


class ActionGrounds(NamedTuple):
    approval: ApprovalDecision | None = None
    attempt: ActionAttempt | None = None
    receipt: ExecutionReceipt | None = None


def is_person(by: str) -> bool:
    """Whether a name is none of those that code signs with."""
    return bool(by.strip()) and not by.strip().lower().startswith(MACHINES)


def _approved_by_a_person(action: Action, grounds: ActionGrounds) -> bool:
    given = grounds.approval
    return (
        given is not None
        and given.approval_id == action.approval_id != ""
        and given.decision == "approved"
        and is_person(given.by)
    )


def _intent_is_recorded(action: Action, grounds: ActionGrounds) -> bool:
    made, command = grounds.attempt, action.command
    return made is not None and (made.command_id, made.idempotency_key, made.fingerprint, made.approval_id) == (
        command.command_id, command.idempotency_key, command.fingerprint, action.approval_id,
    )  # fmt: skip


def _receipt_says(outcome: ReceiptOutcome) -> Callable[[Action, ActionGrounds], bool]:
    def holds(action: Action, grounds: ActionGrounds) -> bool:
        receipt = grounds.receipt
        return (
            receipt is not None
            and not receipt.late
            and receipt.command_id == action.command.command_id
            and receipt.outcome == outcome
        )

    return holds


ACTION_GUARDS: dict[str, Callable[[Action, ActionGrounds], bool]] = {
    "approved_by_a_person": _approved_by_a_person,
    "intent_is_recorded": _intent_is_recorded,
    "receipt_says_succeeded": _receipt_says("succeeded"),
    "receipt_says_failed": _receipt_says("failed"),
    "receipt_says_pending": _receipt_says("pending"),
}
