"""Six checks that a report passes before anything of it may be merged, each a small function."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..contracts.base import ObservationId
from ..contracts.delegation import DelegationBrief
from ..contracts.evidence import Answer, Observation
from ..contracts.report import AgentReport
from ..contracts.task import Task

ANSWERED = frozenset({"ok", "empty", "partial"})


class Submission(NamedTuple):
    """A report with all that it is held against."""

    report: AgentReport
    task: Task
    brief: DelegationBrief
    version: str
    """Contract version as it is now."""
    observations: Mapping[ObservationId, Observation]
    reruns: Mapping[ObservationId, Answer]

    @property
    def cited(self) -> frozenset[ObservationId]:
        return frozenset(ref for f in self.report.findings for ref in f.claim.observations)


def delegation_is_valid(of: Submission) -> tuple[str, ...]:
    """Its delegation, contract version, owner and attempt are those of now."""
    report, task = of.report, of.task
    checks = (
        (report.task_id != task.spec.task_id, f"it answers task {report.task_id}, not {task.spec.task_id}"),
        (report.delegation_id != of.brief.delegation_id, "it answers another delegation"),
        (not of.version == of.brief.contract_version == report.contract_version, "its contract version is stale"),
        (report.agent_id != task.spec.assignment.owner, f"{report.agent_id} does not own the task"),
        (report.attempt != task.attempt, f"it is of attempt {report.attempt}, the task is at {task.attempt}"),
    )
    return _told(checks)


def schema_is_kept(of: Submission) -> tuple[str, ...]:
    """It holds what its output contract asks for."""
    contract = of.brief.output_contract
    without = [f.claim.id for f in of.report.findings if not f.claim.observations]
    checks = (
        (contract.format != "agent_report", f"an agent report cannot be a {contract.format}"),
        (contract.must_include_evidence and bool(without), f"claims without evidence: {', '.join(without)}"),
        (not of.report.summary.strip(), "it has no summary"),
    )
    return _told(checks)


def scope_is_covered(of: Submission) -> tuple[str, ...]:
    """It used what its brief allows, speaks of what it was to look at, and answered what it was to ask."""
    domains = set(of.task.spec.scope.allowed_domains)
    asked = {o.call.fingerprint for o in of.observations.values()}
    outside = sorted(
        {of.observations[r].call.probe for r in of.cited & set(of.observations)} - set(of.brief.allowed_tools)
    )
    left_out = [c.probe for c in of.task.spec.questions if c.fingerprint not in asked]
    own = [f.claim for f in of.report.findings if f.claim.subject.kind in {"service", "instance"}]
    strayed = sorted({c.subject.owner for c in own} - domains) if domains and of.task.origin == "person" else []
    checks = (
        (bool(outside), f"it used probes that its brief forbids: {', '.join(outside)}"),
        (bool(left_out), f"it did not ask {', '.join(left_out)}"),
        (bool(strayed), f"it speaks of services outside its scope: {', '.join(strayed)}"),
    )
    return _told(checks)


def evidence_is_there(of: Submission) -> tuple[str, ...]:
    """What it cites is there, and something that it asked was answered."""
    lost = sorted(of.cited - set(of.observations))
    answered = any(of.observations[r].answer.status in ANSWERED for r in of.reruns if r in of.observations)
    checks = (
        (bool(lost), f"it cites observations that are not there: {', '.join(lost)}"),
        (not answered, "no observation of it was answered"),
    )
    return _told(checks)


def origin_is_traceable(of: Submission) -> tuple[str, ...]:
    """Every observation names its producer and version, carries its digest, and is of the same bundle."""
    seen = of.observations.values()
    forged = sorted(o.id for o in seen if o.answer.digest != o.answer_digest)
    bundles = {o.bundle_digest for o in seen}
    nameless = sorted(o.id for o in seen if not o.asked_by or (o.probe_version < 1 and o.answer.status != "denied"))
    checks = (
        (bool(forged), f"answers do not match their digests: {', '.join(forged)}"),
        (len(bundles) > 1, f"its observations are of {len(bundles)} different bundles"),
        (bool(nameless), f"observations without producer or version: {', '.join(nameless)}"),
    )
    return _told(checks)


def nothing_is_undeclared(of: Submission) -> tuple[str, ...]:
    """No side effect that the scope does not allow, no claim by somebody else."""
    may_write = of.task.spec.scope.write_scope != "none"
    others = sorted({f.claim.made_by for f in of.report.findings} - {of.report.agent_id})
    checks = (
        (not may_write and bool(of.report.artifacts_created), "it wrote artifacts though it may only read"),
        (bool(others), f"it hands in claims of {', '.join(others)} as its own"),
    )
    return _told(checks)


CHECKS: dict[str, Callable[[Submission], tuple[str, ...]]] = {
    "delegation and contract valid": delegation_is_valid,
    "schema": schema_is_kept,
    "scope covered and not left": scope_is_covered,
    "evidence present and readable": evidence_is_there,
    "origin traceable": origin_is_traceable,
    "nothing undeclared": nothing_is_undeclared,
}


def validate(of: Submission) -> dict[str, tuple[str, ...]]:
    """What each check found; an empty tuple where it holds."""
    return {name: check(of) for name, check in CHECKS.items()}


def _told(checks: tuple[tuple[bool, str], ...]) -> tuple[str, ...]:
    return tuple(why for bad, why in checks if bad)
