"""The same submission again: the first result, or where it stands; never a second execution."""

from collections.abc import Sequence
from typing import NamedTuple

from ...contracts.action import Action, ActionCommand, ExecutionReceipt
from ...contracts.errors import KeyConflict


class Standing(NamedTuple):
    """What is known of a key."""

    action: Action
    receipt: ExecutionReceipt | None
    """The first that decided it; None while it is not decided."""


def find_submission(
    command: ActionCommand, actions: Sequence[Action], receipts: Sequence[ExecutionReceipt]
) -> Standing | None:
    """Where a command's key stands; None for a key that was never used.

    Raises:
        KeyConflict: the key belongs to another action.
    """
    known = next((a for a in actions if a.command.idempotency_key == command.idempotency_key), None)
    if known is None:
        return None
    if known.command.fingerprint != command.fingerprint:
        raise KeyConflict(
            f"key {command.idempotency_key} belongs to another action",
            why=f"it was used for {known.command.kind} on {known.command.target}, "
            f"now it comes with {command.kind} on {command.target}",
            hint="another action needs another command",
        )
    return Standing(known, deciding(known, receipts))


def deciding(action: Action, receipts: Sequence[ExecutionReceipt]) -> ExecutionReceipt | None:
    """The receipt that its state rests on."""
    own = [r for r in receipts if r.command_id == action.key and not r.late and r.outcome == action.state]
    return own[0] if own else None
