"""A run's records, read once, for whoever computes something from them."""

from typing import NamedTuple

from ..contracts.action import ExecutionReceipt
from ..contracts.arbitration import ArbitrationRecord, Composite, Conflict
from ..contracts.claim import Claim
from ..contracts.delegation import DelegationBrief
from ..contracts.event import Event
from ..contracts.evidence import Observation
from ..contracts.ports import LedgerReader
from ..contracts.report import AgentReport, IncidentReport
from ..contracts.task import Task
from ..contracts.verification import VerificationResult


class RunRecords(NamedTuple):
    tasks: tuple[Task, ...] = ()
    briefs: tuple[DelegationBrief, ...] = ()
    reports: tuple[AgentReport, ...] = ()
    verifications: tuple[VerificationResult, ...] = ()
    observations: tuple[Observation, ...] = ()
    claims: tuple[Claim, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    arbitrations: tuple[ArbitrationRecord, ...] = ()
    receipts: tuple[ExecutionReceipt, ...] = ()
    composite: Composite | None = None
    report: IncidentReport | None = None
    events: tuple[Event, ...] = ()


async def read_records(reader: LedgerReader) -> RunRecords:
    return RunRecords(
        tasks=await reader.all(Task),
        briefs=await reader.all(DelegationBrief),
        reports=await reader.all(AgentReport),
        verifications=await reader.all(VerificationResult),
        observations=await reader.all(Observation),
        claims=await reader.all(Claim),
        conflicts=await reader.all(Conflict),
        arbitrations=await reader.all(ArbitrationRecord),
        receipts=await reader.all(ExecutionReceipt),
        composite=await reader.get(Composite, "composite"),
        report=await reader.get(IncidentReport, "report"),
        events=await reader.events(),
    )
