"""The question to a person about one action, and whether the answer still covers what is about to happen."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import JsonValue

from ...contracts.action import Action, ActionAttempt, ActionProposal, DryRun
from ...contracts.action_catalog import ActionCatalog, ActionSpec
from ...contracts.approval import ApprovalDecision, ApprovalRequest, UptimeMark
from ...contracts.base import derived_id, digest_of
from .guards import is_person
from .identity import is_itself

ON_IGNORE = "nothing is done, and the run goes on without it"
MOST_EVIDENCE = 12


def sheet(
    action: Action, spec: ActionSpec, proposal: ActionProposal | None, dry_run: DryRun | None, evidence: Sequence[str]
) -> dict[str, JsonValue]:
    """What the person is shown, all of it canonical: the command first, the proposer's words last."""
    command = action.command
    return {
        "action": f"{command.kind} {command.target}",
        "arguments": dict(command.arguments),
        "command": command.model_dump(mode="json"),
        "dry_run": dry_run.model_dump(mode="json", exclude={"at", "command_id"}) if dry_run else "none was made",
        "effect": command.effect,
        "evidence": list(evidence[:MOST_EVIDENCE]),
        "how": _how(spec),
        "proposed_by": proposal.proposed_by if proposal else "unknown",
        "undo": spec.compensation.kind if spec.compensation else "the catalog knows none",
        "why_proposed": proposal.why if proposal else "",
    }


def _how(spec: ActionSpec) -> dict[str, JsonValue]:
    """What its target is sent: templates from the catalog, which the policy version pins."""
    shown: dict[str, JsonValue] = {"target": spec.target}
    if spec.via is not None:
        shown |= spec.via.model_dump(mode="json", exclude_defaults=True)
    return shown


def make_action_request(
    action: Action, spec: ActionSpec, content: dict[str, JsonValue], *, at: datetime, uptime: UptimeMark | None
) -> ApprovalRequest:
    """Bound to the digest of all that is shown: command, policy version, dry run and expiry are part of it."""
    command = action.command
    expires = at + timedelta(seconds=spec.approval_seconds)
    shown = {**content, "expires_at": expires.isoformat(), "approvers": list(spec.approvers)}
    digest = digest_of(shown)
    return ApprovalRequest(
        approval_id=derived_id("apr", command.run_id, "action", command.command_id, digest),
        run_id=command.run_id,
        point="action",
        question=f"Do this now? {command.kind} on {command.target}",
        subject_digest=digest,
        content=shown,
        risk=command.risk,
        asked_at=at,
        expires_at=expires,
        on_ignore=ON_IGNORE,
        approvers=spec.approvers,
        asked_uptime=uptime,
    )


def may_answer(request: ApprovalRequest, by: str) -> bool:
    return is_person(by) and (not request.approvers or "*" in request.approvers or by in request.approvers)


def is_expired(request: ApprovalRequest, now: datetime, uptime: UptimeMark | None) -> bool:
    """By the machine's own time where both marks are of one start of it; the wall clock may have been set since."""
    if request.expires_at is None:
        return False
    asked = request.asked_uptime
    if asked is not None and uptime is not None and asked.boot == uptime.boot:
        return uptime.seconds - asked.seconds > (request.expires_at - request.asked_at).total_seconds()
    return now > request.expires_at


class Leave(NamedTuple):
    """All that an execution rests on, as it is stored now."""

    action: Action
    request: ApprovalRequest | None
    decision: ApprovalDecision | None
    dry_run: DryRun | None
    attempts: Sequence[ActionAttempt]
    """Of the whole run."""
    revisions: Sequence[Action]
    """Actions of the same intent."""
    catalog: ActionCatalog
    now: datetime
    uptime: UptimeMark | None


def why_not(leave: Leave) -> str:
    """Empty where the command may be attempted now; else the one reason why it may not."""
    action, request, decision = leave.action, leave.request, leave.decision
    if request is None or decision is None:
        return "nobody approved it"
    checks = (
        _wrong_command(leave),
        _wrong_question(action, request, leave.dry_run),
        _wrong_answer(request, decision),
        _used(leave, decision),
        _too_late(leave, request, decision),
    )
    return next((why for why in checks if why), "")


def _wrong_command(leave: Leave) -> str:
    command = leave.action.command
    newest = max((a.command.revision for a in leave.revisions), default=command.revision)
    if not is_itself(command):
        return "the command is not what its fingerprint says"
    if command.policy != leave.catalog.version:
        return "the catalog changed since the command was made"
    if command.revision != newest or leave.action.replaced_by:
        return "it was edited since"
    return ""


def _wrong_question(action: Action, request: ApprovalRequest, dry_run: DryRun | None) -> str:
    content = request.content
    if request.approval_id != action.approval_id or request.point != "action":
        return "the approval is for another question"
    if request.run_id != action.command.run_id:
        return "the approval is for another run"
    if digest_of(content) != request.subject_digest:
        return "what was shown is not what its digest says"
    if content.get("command") != action.command.model_dump(mode="json"):
        return "another command was shown"
    seen = dry_run.model_dump(mode="json", exclude={"at", "command_id"}) if dry_run else "none was made"
    return "" if content.get("dry_run") == seen else "another dry run was shown"


def _wrong_answer(request: ApprovalRequest, decision: ApprovalDecision) -> str:
    if decision.approval_id != request.approval_id or decision.decision != "approved":
        return f"the answer was {decision.decision!r}"
    if decision.subject_digest != request.subject_digest:
        return "the approval is for other content"
    if not may_answer(request, decision.by):
        return f"{decision.by!r} may not approve it"
    return ""


def _used(leave: Leave, decision: ApprovalDecision) -> str:
    """An approval covers one command; its attempts go on only where nothing reached the target."""
    others = [a for a in leave.attempts if a.approval_id == decision.approval_id]
    if others and leave.action.state != "running":
        return f"the approval is used up by {others[-1].attempt_id}"
    return ""


def _too_late(leave: Leave, request: ApprovalRequest, decision: ApprovalDecision) -> str:
    if is_expired(request, leave.now, leave.uptime):
        return "the approval expired"
    if leave.now > leave.action.command.deadline_at and not _same_start(request, leave.uptime):
        return "the command's deadline has passed"
    if request.expires_at is not None and decision.decided_at > request.expires_at:
        return "the answer came after the question had expired"
    return ""


def _same_start(request: ApprovalRequest, uptime: UptimeMark | None) -> bool:
    return request.asked_uptime is not None and uptime is not None and request.asked_uptime.boot == uptime.boot
