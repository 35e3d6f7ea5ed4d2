"""Candidates, conflicts, and who decided what by which authority."""

from typing import Literal

from pydantic import Field

from .base import ClaimId, Contract, ObservationId, Record, RunId, TaskId, Utc
from .lifecycle import CandidateState
from .report import Ranking
from .task import Risk

ConflictClass = Literal["fact", "requirement", "plan", "artifact"]
AuthorityType = Literal[
    "executable_probe", "original_source", "task_verifier", "independent_reviewer", "policy", "person"
]


class Candidate(Record):
    """A report's accepted claims on their way into the result."""

    record_kind = "candidate"

    candidate_id: str
    task_id: TaskId
    report_id: str
    state: CandidateState = "candidate"
    claims: tuple[ClaimId, ...] = ()
    reason: str = ""
    """Why it was rejected, superseded or is in conflict."""

    @property
    def key(self) -> str:
        return self.candidate_id


class Authority(Contract):
    type: AuthorityType
    ref: str


class Conflict(Record):
    """Two claims that cannot both hold."""

    record_kind = "conflict"

    conflict_id: str
    conflict_class: ConflictClass
    subject: str
    description: str
    tasks: tuple[TaskId, ...]
    claims: tuple[ClaimId, ...] = Field(min_length=2)
    risk: Risk = "medium"
    options: tuple[str, ...] = ()
    authority: Authority

    @property
    def key(self) -> str:
        return self.conflict_id


class ArbitrationRecord(Record):
    """A ruling; the losing side stays readable in it."""

    record_kind = "arbitration"

    arbitration_id: str
    root_run_id: RunId
    conflict_id: str
    conflict_type: ConflictClass
    subject: str
    candidates: tuple[ClaimId, ...]
    upheld: tuple[ClaimId, ...]
    authority: Authority
    decision: str
    reason: str
    evidence_refs: tuple[ObservationId, ...] = ()
    decided_by: str
    created_at: Utc

    @property
    def key(self) -> str:
        return self.arbitration_id


class DecisionRecord(Record):
    """A decision that shaped the result: by a rule, a model inside its margin, or a person."""

    record_kind = "decision"

    decision_id: str
    subject: str
    decision: str
    reason: str
    made_by: str
    claims: tuple[ClaimId, ...] = ()
    created_at: Utc

    @property
    def key(self) -> str:
        return self.decision_id


class MechanismJudgement(Contract):
    """A model's answer whether one cause explains the anomaly, after its quotes were looked up in the source."""

    cause_ref: str
    verdict: Literal["yes", "no", "unclear"]
    quotes: tuple[str, ...] = ()
    checked: bool
    """Whether every quote stands in the source."""


class Composite(Record):
    """The merged result and its integration checks."""

    record_kind = "composite"

    ranking: Ranking
    baseline: Ranking
    """What the rules' own evidence says, without any model."""
    judgements: tuple[MechanismJudgement, ...] = ()
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    """Integration checks that did not hold, each named with its reason."""
    round: int = 1

    @property
    def key(self) -> str:
        return "composite"
