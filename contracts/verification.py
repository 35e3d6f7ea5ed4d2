"""What checking a report showed."""

from typing import Literal

from .base import AgentId, ClaimId, Contract, ObservationId, Record, TaskId
from .report import CheckList

Verdict = Literal["supported", "contradicted", "unsupported", "not_checkable"]


class ClaimVerdict(Contract):
    claim: ClaimId
    verdict: Verdict
    why: str = ""


class RerunResult(Contract):
    """An observation asked again."""

    observation: ObservationId
    same: bool
    """Whether the answer's digest was equal."""
    why: str = ""


class VerificationResult(Record):
    """Of one report: contract checks first, then claim by claim."""

    record_kind = "verification"

    report_id: str
    task_id: TaskId
    attempt: int
    verifier: AgentId
    checks: CheckList
    reruns: tuple[RerunResult, ...] = ()
    verdicts: tuple[ClaimVerdict, ...] = ()
    objections: tuple[str, ...] = ()
    """Of a reviewing model, each naming a claim; they can only lower."""
    required_changes: tuple[str, ...] = ()
    decision: Literal["accept", "revise", "reject"]

    @property
    def key(self) -> str:
        return self.report_id

    @property
    def passed(self) -> bool:
        return self.decision == "accept"

    def verdict_of(self, claim: ClaimId) -> Verdict:
        return next((v.verdict for v in self.verdicts if v.claim == claim), "not_checkable")
