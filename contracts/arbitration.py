"""Candidates, conflicts, and who decided what by which authority."""

from typing import Literal

from pydantic import Field

from .base import ClaimId, Contract, Digest, ObservationId, Record, RunId, TaskId, Utc
from .claim import Origin
from .lifecycle import CandidateState
from .report import Ranking
from .task import Risk

ConflictClass = Literal["fact", "requirement", "plan", "artifact"]
AuthorityType = Literal[
    "executable_probe", "original_source", "task_verifier", "independent_reviewer", "policy", "person"
]


class Candidate(Record):
    """One attempt's claims on their way into the result. The last to arrive is never accepted for that."""

    record_kind = "candidate"

    candidate_id: str
    task_id: TaskId
    report_id: str
    attempt: int = 1
    state: CandidateState = "candidate"
    claims: tuple[ClaimId, ...] = ()
    """Claims that hold; of a rejected candidate those that it made."""
    evidence: tuple[ObservationId, ...] = ()
    reason: str = ""
    """Why it was rejected or is in conflict."""
    supersedes: str = ""
    """The candidate of an earlier attempt that this one takes the place of."""
    superseded_by: str = ""

    @property
    def key(self) -> str:
        return self.candidate_id


class Authority(Contract):
    """Whose word settles a conflict, declared before it is judged."""

    type: AuthorityType
    ref: str


class ConflictSide(Contract):
    ref: str
    """What stands against the other: a claim, a remedy, a requirement, an artifact."""
    says: str
    by: str = ""
    """The agent, rule or person that it comes from."""
    origin: Origin = "rules"
    strength: float = 0.0
    evidence: tuple[ObservationId, ...] = ()


class Conflict(Record):
    """Two or more things that cannot all hold, found by rule."""

    record_kind = "conflict"

    conflict_id: str
    conflict_class: ConflictClass
    subject: str
    description: str
    tasks: tuple[TaskId, ...] = ()
    artifacts: tuple[Digest, ...] = ()
    sides: tuple[ConflictSide, ...] = Field(min_length=2)
    risk: Risk = "medium"
    options: tuple[str, ...] = ()
    authority: Authority
    decision_owner: str
    """Who has to decide: a rule, a policy or a person."""
    ruling: str = ""
    """The final one; empty while it is open."""

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
    candidates: tuple[str, ...]
    """Every side's ref."""
    upheld: tuple[str, ...]
    """What stands; empty where neither may."""
    authority: Authority
    decision: str
    reason: str
    evidence_refs: tuple[ObservationId, ...] = ()
    decided_by: str
    created_at: Utc

    @property
    def key(self) -> str:
        return self.arbitration_id

    @property
    def lost(self) -> frozenset[str]:
        return frozenset(self.candidates) - frozenset(self.upheld)


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
    separating: tuple[str, ...] = ()
    """Questions that would tell the first causes apart, asked or not."""
    round: int = 1

    @property
    def key(self) -> str:
        return "composite"
