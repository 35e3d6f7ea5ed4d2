"""Which contracts each step takes and gives: kept beside the wiring, and held to what the steps really read and write.

The first of each is what the step is there for; the diagram names those that pass along an edge.
"""

from typing import NamedTuple

from pydantic import BaseModel

from ..contracts.action import Action, ActionAttempt, ActionProposal, DryRun, ExecutionReceipt, OutcomeCheck
from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.arbitration import ArbitrationRecord, Candidate, Composite, Conflict, DecisionRecord
from ..contracts.assignment import AssignmentDecision, TaskLease
from ..contracts.claim import Claim
from ..contracts.delegation import DelegationBrief
from ..contracts.evidence import Observation, SourceCoverage
from ..contracts.fuse import AgentFuse
from ..contracts.incident import Incident
from ..contracts.message import AgentMessage
from ..contracts.proposal import (
    ActionsProposal,
    FindingsProposal,
    MechanismProposal,
    MessagesProposal,
    NarrativeProposal,
    PlanProposal,
    ProbeProposal,
    Proposal,
    ReviewProposal,
    TriageProposal,
)
from ..contracts.proposal_record import ProposalRecord
from ..contracts.report import AgentReport, DomainSummary, IncidentReport
from ..contracts.task import Task
from ..contracts.team import HumanPointName
from ..contracts.verification import VerificationResult

Types = tuple[type[BaseModel], ...]


class Interface(NamedTuple):
    takes: Types
    gives: Types
    asks: tuple[type[Proposal], ...] = ()
    """Forms that a model may fill here."""
    reads_telemetry: bool = False
    """Whether it asks the bundle: what comes from there is told, not yet checked."""


BOOK: Types = (Action, ActionProposal, ApprovalRequest, ApprovalDecision, DryRun, ActionAttempt, ExecutionReceipt)
WORKED: Types = (AgentReport, Observation, Task, AgentMessage)
INTERFACES: dict[str, Interface] = {
    "__start__": Interface((), (Incident,)),
    "__end__": Interface((IncidentReport,), ()),
    "intake": Interface((Incident,), (Incident, SourceCoverage)),
    "decompose": Interface((Incident, SourceCoverage, Task, ApprovalDecision), (Task,), (PlanProposal,)),
    "classify": Interface((Task,), (Task,), (TriageProposal,)),
    "present_plan": Interface((Task,), (ApprovalRequest, Task)),
    "present_assignments": Interface((Task, ApprovalDecision), (Task, ApprovalRequest)),
    "select": Interface(
        (Task, VerificationResult, AgentFuse, AgentReport, AgentMessage), (Task, AssignmentDecision, AgentFuse)
    ),
    "delegate": Interface((Task, AssignmentDecision, AgentMessage), (DelegationBrief, Task, AgentMessage)),
    "execute": Interface(
        (DelegationBrief, Task, Observation, Claim, Candidate, AgentMessage), WORKED,
        (ProbeProposal, FindingsProposal, MessagesProposal), reads_telemetry=True,
    ),
    "announce": Interface(
        (Task, TaskLease, AgentMessage, AgentFuse, AgentReport), (Task, TaskLease, AgentMessage)
    ),
    "work": Interface(
        (Task, TaskLease, Observation, Claim, Candidate, AgentMessage, AgentFuse, AgentReport),
        (*WORKED, TaskLease, AssignmentDecision, DelegationBrief),
        (ProbeProposal, FindingsProposal, MessagesProposal), reads_telemetry=True,
    ),
    "verify": Interface(
        (AgentReport, DelegationBrief, Observation, Task, Candidate, Claim, AgentMessage, AgentFuse, ProposalRecord),
        (Task, VerificationResult, Claim, Candidate, AgentMessage, AgentFuse, DecisionRecord, Conflict,
         ArbitrationRecord),
        (ReviewProposal,), reads_telemetry=True,
    ),
    "divide": Interface((Task,), (Task, AssignmentDecision)),
    "summarize": Interface((Candidate, Claim, Task), (DomainSummary,)),
    "arbitrate": Interface(
        (Claim, Candidate, DomainSummary, Observation, Task, AgentMessage),
        (Composite, Conflict, ArbitrationRecord, DecisionRecord, ApprovalRequest, Task, AgentMessage),
        (MechanismProposal,),
    ),
    "merge": Interface(
        (Composite, Conflict, ArbitrationRecord, ApprovalDecision, Claim, Candidate, Task, VerificationResult),
        (Composite, ArbitrationRecord, Conflict, Candidate, Task),
    ),
    "propose_actions": Interface((Composite, Claim, *BOOK), (Action, ActionProposal), (ActionsProposal,)),
    "prepare_action": Interface((*BOOK, Claim, Composite), (*BOOK[:3], DryRun)),
    "act": Interface(BOOK, (Action, ActionAttempt, ExecutionReceipt)),
    "reconcile_actions": Interface(BOOK, (Action, ExecutionReceipt)),
    "check_actions": Interface(
        (*BOOK, Claim, Observation, OutcomeCheck, Composite), (OutcomeCheck, Action, ActionProposal),
        reads_telemetry=True,
    ),
    "conclude": Interface(
        (Composite, Claim, ArbitrationRecord, DecisionRecord, Observation, ProposalRecord, Task, AgentFuse,
         OutcomeCheck, *BOOK),
        (IncidentReport, ApprovalRequest), (NarrativeProposal,),
    ),
    "submit": Interface((IncidentReport, ApprovalDecision, Claim), (IncidentReport, DecisionRecord)),
    **{
        name: Interface((ApprovalRequest,), (ApprovalDecision,))
        for name in ("approve_plan", "approve_assignment", "approve_decision", "approve_action", "approve_report")
    },
}  # fmt: skip
POINTS: dict[str, HumanPointName] = {
    "approve_plan": "plan",
    "approve_assignment": "assignment",
    "approve_decision": "decision",
    "approve_action": "action",
    "approve_report": "report",
}
"""Steps that are nothing but a question to a person, by the point of the team file that says when."""


def interface(node: str) -> Interface:
    """Of a step, or of one inside a domain lead's graph; raise KeyError for one that the table lacks."""
    inner = node.rpartition(":")[2]
    return INTERFACES["divide" if inner in {"__start__", "__end__"} and ":" in node else inner]


class Passage(NamedTuple):
    """What passes along an edge: what its source gives, and what its target takes it as."""

    output: Types
    input: Types


def passage(source: str, target: str) -> Passage:
    gives, takes = interface(source).gives, interface(target).takes
    passed = tuple(t for t in gives if t in takes)
    return Passage(passed[:2] or gives[:1], takes[:2])
