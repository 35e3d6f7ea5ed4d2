"""Every kind of record that a ledger keeps."""

from .action import Action, ActionAttempt, ActionProposal, DryRun, ExecutionReceipt, OutcomeCheck
from .approval import ApprovalDecision, ApprovalRequest
from .arbitration import ArbitrationRecord, Candidate, Composite, Conflict, DecisionRecord
from .assignment import AssignmentDecision, TaskLease
from .base import Record
from .claim import Claim
from .delegation import DelegationBrief
from .evidence import Observation
from .fuse import AgentFuse
from .message import AgentMessage
from .proposal_record import ProposalRecord
from .report import AgentReport, DomainSummary, IncidentReport
from .task import Task
from .verification import VerificationResult

RECORDS: tuple[type[Record], ...] = (
    Task, AssignmentDecision, TaskLease, DelegationBrief, AgentMessage, AgentFuse, ProposalRecord, Observation,
    AgentReport, VerificationResult, Claim, Candidate, DomainSummary, Conflict, ArbitrationRecord, DecisionRecord,
    Composite, ApprovalRequest, ApprovalDecision, ActionProposal, Action, DryRun, ActionAttempt, ExecutionReceipt,
    OutcomeCheck, IncidentReport,
)  # fmt: skip
