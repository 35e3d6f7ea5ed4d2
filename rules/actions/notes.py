"""What the report says of actions."""

from collections.abc import Sequence

from ...contracts.action import Action, ActionProposal, ExecutionReceipt, OutcomeCheck
from ...contracts.approval import ApprovalDecision
from ...contracts.report import ActionNote
from .replay import deciding

NOT_CHECKED = {
    "proposed": "it was not carried out",
    "ready": "it was not carried out",
    "denied": "it was not carried out",
    "running": "its outcome is not known",
    "pending": "its outcome is not known",
    "unknown": "its outcome is not known",
    "manual_review": "its outcome is not known",
    "failed": "it did not take effect",
}


def action_notes(
    actions: Sequence[Action],
    proposals: Sequence[ActionProposal],
    decisions: Sequence[ApprovalDecision],
    receipts: Sequence[ExecutionReceipt],
    checks: Sequence[OutcomeCheck],
) -> tuple[ActionNote, ...]:
    """Commands first, in their order, then what was refused before there was one."""
    by_id = {p.proposal_id: p for p in proposals}
    answered = {d.approval_id: d for d in decisions}
    checked = {c.command_id: c for c in checks}
    notes = [
        _note(a, by_id.get(a.proposal_id), answered.get(a.approval_id), deciding(a, receipts), checked.get(a.key))
        for a in actions
    ]
    refused = [
        ActionNote(
            command="", kind=p.kind, target=p.target, arguments=p.arguments, state="refused", reason=p.refused,
            proposed_by=p.proposed_by, check="it was refused before anyone was asked",
        )
        for p in proposals
        if p.refused
    ]  # fmt: skip
    return (*notes, *refused)


def advice_notes(proposals: Sequence[ActionProposal], effects: dict[str, str]) -> tuple[ActionNote, ...]:
    """Of a run that may only propose."""
    return tuple(
        ActionNote(
            command="", kind=p.kind, target=p.target, arguments=p.arguments, effect=effects.get(p.kind, ""),
            state="refused" if p.refused else "proposed", reason=p.refused, proposed_by=p.proposed_by,
            check="this run only proposes",
        )
        for p in proposals
    )  # fmt: skip


def _note(
    action: Action, proposal: ActionProposal | None, decision: ApprovalDecision | None,
    receipt: ExecutionReceipt | None, checked: OutcomeCheck | None,
) -> ActionNote:  # fmt: skip
    command = action.command
    simulated = receipt is not None and receipt.simulated
    found = checked.why if checked else NOT_CHECKED.get(action.state, "nobody looked")
    return ActionNote(
        command=command.command_id,
        kind=command.kind,
        target=str(command.target),
        arguments=command.arguments,
        effect=command.effect,
        state=action.state,
        reason="" if simulated else action.reason,
        proposed_by=proposal.proposed_by if proposal else "",
        approved_by=decision.by if decision and decision.decision == "approved" else "",
        reference=receipt.external_reference if receipt else "",
        simulated=simulated,
        helped=checked.verdict if checked else "not_checked",
        check=found,
        undoes=command.compensates,
        undone_by=action.undone_by,
    )
