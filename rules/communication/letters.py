"""The messages that the work itself gives rise to, each made from the record that it tells of."""

from collections.abc import Sequence

from ...contracts.arbitration import ArbitrationRecord, Conflict, DecisionRecord
from ...contracts.base import AgentId, ClaimId, TaskId
from ...contracts.delegation import DelegationBrief
from ...contracts.message import USER, AgentMessage, Draft, ExpectedResponse
from ...contracts.message_payload import (
    BlockerRaised,
    ConflictNotice,
    DecisionRecorded,
    HandoffAccepted,
    HandoffRequested,
    Progress,
    ReportSubmitted,
    ReviewIssue,
    ReviewRequested,
    ReviewResult,
    RevisionRequested,
    TaskAssigned,
)
from ...contracts.proposal import ProposedObjection
from ...contracts.report import AgentReport, Blocker, Finding
from ...contracts.task import Task
from ...contracts.verification import VerificationResult
from ..wording import say

TOLD = 3
"""Findings that a progress message names; the report has them all."""
LONGEST = 400


def short(text: str) -> str:
    """One printable line."""
    flat = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(flat.split())[:LONGEST] or "(nothing)"


def assigned(task: Task, brief: DelegationBrief, lead: AgentId) -> Draft:
    spec = task.spec
    return Draft(
        from_agent=lead,
        to_agent=brief.to_agent,
        task_id=spec.task_id,
        summary=short(f"{spec.title}: {spec.goal}"),
        payload=TaskAssigned(
            delegation_id=brief.delegation_id,
            contract_version=brief.contract_version,
            objective=short(brief.objective),
            attempt=task.attempt,
            lease_id=spec.assignment.lease_id or "",
        ),
        priority=spec.priority,
        context_refs=(brief.delegation_id, *(r.ref for r in spec.input_refs if " " not in r.ref))[:20],
        expected_response=ExpectedResponse(format="report_submitted", deadline_ms=int(spec.budget.seconds * 1000)),
    )


def submitted(task: Task, report: AgentReport, seconds: float, lead: AgentId, thread: str) -> Draft:
    return Draft(
        from_agent=report.agent_id,
        to_agent=lead,
        task_id=report.task_id,
        summary=short(report.summary),
        payload=ReportSubmitted(
            report_id=report.report_id, attempt=report.attempt, findings=len(report.findings), seconds=round(seconds, 3)
        ),
        priority=task.spec.priority,
        artifact_refs=(report.report_id,),
        thread_id=thread,
    )


def progress(task: Task, report: AgentReport, known: frozenset[str], lead: AgentId, thread: str) -> Draft | None:
    """What is new since the last message about this task; None where nothing is, or nobody wants to hear it."""
    policy = task.spec.communication_policy
    if not policy.must_report_progress or (policy.progress_interval == "on_blocker" and not report.blockers):
        return None
    new = [f for f in report.findings if f.claim.id not in known][:TOLD]
    stuck = tuple(short(b.blocker) for b in report.blockers[:TOLD])
    if not new and not stuck:
        return None
    risks = tuple(short(f"{f.claim.subject.ref}: {f.risk} risk") for f in new if f.risk == "high")
    following = report.next_steps[0] if report.next_steps else "waits for verification"
    return Draft(
        from_agent=report.agent_id,
        to_agent=lead,
        task_id=report.task_id,
        summary=short(f"{len(new)} new findings, {len(stuck)} blockers"),
        payload=Progress(
            findings=tuple(short(say(f.claim)) for f in new), blockers=stuck, risks=risks, next_step=short(following)
        ),
        evidence_refs=tuple(f.claim.id for f in new),
        thread_id=thread,
    )


def blocked(task: Task, report: AgentReport, lead: AgentId, thread: str) -> Draft | None:
    """What the owner could not do, who must act, and what they could do."""
    if not report.blockers:
        return None
    first, more = report.blockers[0], len(report.blockers) - 1
    said = short(first.blocker) if not more else short(f"{first.blocker} (and {more} more)")
    return Draft(
        from_agent=report.agent_id,
        to_agent=lead,
        task_id=report.task_id,
        summary=said,
        payload=BlockerRaised(
            blocker=said,
            needs="lead" if first.needs == "manager" else first.needs,
            who=_who(first, lead),
            suggested_resolution=tuple(short(s) for s in report.next_steps[:2]) or ("go on without it",),
            risk=task.spec.risk_level,
        ),
        thread_id=thread,
    )


def _who(blocker: Blocker, lead: AgentId) -> str:
    """The probe or data source that is named first, or the lead."""
    named = blocker.blocker.partition(":")[0].strip()
    return (lead if blocker.needs == "manager" else named or str(lead))[:120]


def handoff_requested(task: Task, owner: AgentId, why: str, lead: AgentId) -> Draft:
    """A wish to be rid of a task; what moves it is its next assignment."""
    return Draft(
        from_agent=owner,
        to_agent=lead,
        task_id=task.spec.task_id,
        summary=short(why),
        payload=HandoffRequested(reason=short(why)),
        priority=task.spec.priority,
        expected_response=ExpectedResponse(format="handoff_accepted"),
    )


def handoff_accepted(asked: AgentMessage, assignment: str, owner: AgentId, lead: AgentId) -> Draft:
    """The new owner hears that the task is its own by assignment, and not by anybody's word."""
    return Draft(
        from_agent=lead,
        to_agent=owner,
        task_id=asked.task_id,
        summary=short(f"{owner} has what {asked.from_agent} gave back"),
        payload=HandoffAccepted(assignment_id=assignment, new_owner=owner),
        context_refs=(assignment,),
        thread_id=asked.thread_id,
    )


def escalated(task: Task, reason: str, lead: AgentId) -> Draft:
    """Nobody finished it: the person has to act."""
    return Draft(
        from_agent=lead,
        to_agent=USER,
        task_id=task.spec.task_id,
        summary=short(f"{task.spec.title}: {reason}"),
        payload=BlockerRaised(
            blocker=short(f"nobody finishes {task.spec.title}"),
            needs="user",
            who="whoever answers for the team",
            suggested_resolution=("look at the data source that the task reads", "give the task to another agent"),
            risk=task.spec.risk_level,
        ),
        priority="critical" if task.spec.required else "high",
    )


def revision(task: Task, result: VerificationResult, *, new_lease: bool, thread: str) -> Draft:
    """What must change, and under which lease."""
    changes = result.required_changes or ("hand in a report that keeps its contract",)
    return Draft(
        from_agent=result.verifier,
        to_agent=task.spec.assignment.owner,
        task_id=result.task_id,
        summary=short(f"{len(changes)} changes required"),
        payload=RevisionRequested(
            report_id=result.report_id,
            reason=short("; ".join(result.checks.failed)),
            required_changes=tuple(short(c) for c in changes[:20]),
            deadline_policy="new_lease" if new_lease else "same_lease",
        ),
        priority=task.spec.priority,
        artifact_refs=(result.report_id,),
        expected_response=ExpectedResponse(
            format="report_submitted", deadline_ms=int(task.spec.budget.seconds * 1000)
        ),
        thread_id=thread,
    )  # fmt: skip


def review_requested(task: Task, report: AgentReport, reviewer: AgentId, focus: Sequence[Finding]) -> Draft:
    return Draft(
        from_agent=report.agent_id,
        to_agent=reviewer,
        task_id=report.task_id,
        summary=short(f"review of {report.report_id}"),
        payload=ReviewRequested(
            artifact_ref=report.report_id,
            checklist_ref="rules:report-checks",
            focus=tuple(short(say(f.claim)) for f in focus[:8]),
        ),
        priority=task.spec.priority,
        blocking=True,
        artifact_refs=(report.report_id,),
        expected_response=ExpectedResponse(format="review_result"),
    )


def review_result(
    task: Task, report: AgentReport, reviewer: AgentId, objections: Sequence[ProposedObjection], thread: str
) -> Draft:
    """A reviewer's objections, each with the claim that it is about; they advise, the verifier decides."""
    observed = {f.claim.id: f.claim.observations for f in report.findings}
    heard = [o for o in objections if ClaimId(o.claim) in observed][:12]
    return Draft(
        from_agent=reviewer,
        to_agent=report.agent_id,
        task_id=report.task_id,
        summary=short(f"{len(heard)} objections"),
        payload=ReviewResult(
            artifact_ref=report.report_id,
            status="changes_requested" if heard else "approved",
            blocking_issues=tuple(
                ReviewIssue(
                    issue=short(o.objection),
                    evidence_refs=(o.claim, *observed[ClaimId(o.claim)])[:12],
                    suggested_fix="leave the claim out, or show what answers the objection",
                )
                for o in heard
            ),
        ),
        priority=task.spec.priority,
        artifact_refs=(report.report_id,),
        thread_id=thread,
    )


def conflict_notice(conflict: Conflict, finder: AgentId, lead: AgentId, task: TaskId) -> Draft:
    return Draft(
        from_agent=finder,
        to_agent=lead,
        task_id=task,
        related_task_ids=tuple(t for t in conflict.tasks if t != task),
        summary=short(f"{conflict.subject}: {conflict.description}"),
        payload=ConflictNotice(
            conflict_id=conflict.conflict_id,
            description=short(f"{conflict.subject}: {conflict.description}"),
            involved_artifacts=tuple(s.ref for s in conflict.sides)[:12],
            risk=conflict.risk,
            suggested_resolution=tuple(short(o) for o in conflict.options[:6]) or ("keep neither",),
            decision_owner=conflict.decision_owner[:120],
        ),
        priority="high" if conflict.risk == "high" else "medium",
        artifact_refs=tuple(s.ref for s in conflict.sides)[:20],
        evidence_refs=tuple(dict.fromkeys(e for s in conflict.sides for e in s.evidence))[:20],
        expected_response=ExpectedResponse(format="decision_recorded"),
    )


def decision_recorded(
    decision: DecisionRecord, lead: AgentId, to: AgentId, task: TaskId | None, tasks: Sequence[TaskId], thread: str
) -> Draft:
    """Points at the entry in the decision log."""
    said = DecisionRecorded(
        decision_id=decision.decision_id, decision=short(decision.decision), affected_tasks=tuple(tasks)[:50]
    )
    return _decision(said, short(f"{decision.subject}: {decision.decision}"), lead, to, task, thread)


def ruling_told(
    ruling: ArbitrationRecord, lead: AgentId, to: AgentId, task: TaskId, tasks: Sequence[TaskId], thread: str
) -> Draft:
    said = DecisionRecorded(
        decision_id=ruling.arbitration_id, decision=short(ruling.decision), affected_tasks=tuple(tasks)[:50]
    )
    return _decision(said, short(f"{ruling.subject}: {ruling.reason}"), lead, to, task, thread)


def _decision(
    said: DecisionRecorded, summary: str, lead: AgentId, to: AgentId, task: TaskId | None, thread: str
) -> Draft:
    return Draft(
        from_agent=lead,
        to_agent=to,
        task_id=task,
        related_task_ids=tuple(t for t in said.affected_tasks if t != task),
        summary=summary,
        payload=said,
        context_refs=(said.decision_id,),
        thread_id=thread,
    )


def reported_already(progress: Sequence[AgentMessage]) -> frozenset[str]:
    """Claims that earlier progress messages told of."""
    return frozenset(ref for message in progress for ref in message.evidence_refs)
