"""What an answer proves. It counts only where it is this command's, and the target's own."""

import hmac
from datetime import datetime

from ...contracts.action import ActionAttempt, ActionCommand, ExecutionReceipt, ReceiptOutcome, ReceiptSource
from ...contracts.base import Digest, derived_id, digest_of
from ...contracts.ports import TargetReply


def judge(
    reply: TargetReply, command: ActionCommand, attempt: ActionAttempt, *, source: ReceiptSource, at: datetime
) -> ExecutionReceipt:
    """A forged answer, another command's answer, or one that names nothing where it had to, leaves all unknown."""
    doubt = _doubt(reply, command) if reply.delivered and reply.outcome != "unknown" else ""
    outcome: ReceiptOutcome = "unknown" if doubt else reply.outcome
    body: Digest | None = digest_of(reply.body) if reply.body else None
    return ExecutionReceipt(
        receipt_id=derived_id("rcp", attempt.attempt_id, source, outcome, body or "", reply.reference, doubt),
        attempt_id=attempt.attempt_id,
        command_id=command.command_id,
        source=source,
        outcome=outcome,
        delivered=reply.delivered,
        simulated=reply.simulated,
        external_reference="" if doubt else reply.reference[:200],
        response=body,
        detail=(doubt or reply.detail)[:400],
        at=at,
    )


def _doubt(reply: TargetReply, command: ActionCommand) -> str:
    if not reply.authentic:
        return "the answer is not signed by the target"
    if reply.must_echo and not reply.echoed_key:
        return "the answer does not say which command it is for"
    if reply.echoed_key and not hmac.compare_digest(reply.echoed_key.encode(), command.idempotency_key.encode()):
        return "the answer is for another command"
    if reply.echoed_fingerprint and reply.echoed_fingerprint != command.fingerprint:
        return "the target kept another action under this key"
    return ""
