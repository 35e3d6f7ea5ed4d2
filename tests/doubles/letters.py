"""A small team with a plan of three tasks, and messages of every kind that its gate lets through."""

from datetime import UTC, datetime
from typing import Any

from leadline.contracts.base import AgentId, RunId, TaskId
from leadline.contracts.message import AgentMessage, Draft, ExpectedResponse
from leadline.contracts.message_payload import (
    ArtifactHandoff,
    BlockerRaised,
    BlockerSupport,
    Clarification,
    ConflictNotice,
    DecisionProposed,
    DecisionRecorded,
    DependencyAnswer,
    DependencyQuestion,
    HandoffAccepted,
    HandoffRequested,
    InterfaceContract,
    Progress,
    ReportSubmitted,
    ReviewRequested,
    ReviewResult,
    RevisionRequested,
    SubtaskRequest,
    TaskAssigned,
)
from leadline.contracts.task import Assignment, Budget, CommunicationPolicy, Task, TaskSpec
from leadline.contracts.team import AgentSpec, TeamSpec
from leadline.rules.communication.composing import compose
from leadline.rules.communication.gate import Admitted, GateContext, RefusedMessage, judge
from leadline.rules.communication.traffic import Traffic

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
RUN = RunId("run-1")
LOGS, CHANGES, NODES = TaskId("tsk-logs"), TaskId("tsk-changes"), TaskId("tsk-nodes")


def team(topology: str = "controlled_bus", **changes: Any) -> TeamSpec:
    def agent(name: str, *capabilities: str, domain: str = "", **more: Any) -> AgentSpec:
        return AgentSpec(id=AgentId(name), description=name, capabilities=capabilities, domain=domain, **more)

    agents = (
        agent("lead", "plan", accepts_delegation=False),
        agent("checker", "verify", accepts_delegation=False),
        agent("telemetry_lead", "lead_domain", domain="telemetry", accepts_delegation=False),
        agent("change_lead", "lead_domain", domain="change", accepts_delegation=False),
        agent("log_reader", "analyze_logs", domain="telemetry"),
        agent("node_reader", "analyze_nodes", domain="telemetry"),
        agent("change_reader", "analyze_changes", domain="change"),
        agent("outsider", "analyze_weather", domain="telemetry"),
    )
    return TeamSpec(
        name="t", version="1", topology=topology, root_owner=AgentId("lead"), agents=agents, **changes
    )  # fmt: skip


def task(key: TaskId, owner: str, *needs: TaskId, domain: str = "", **spec: Any) -> Task:
    given = {
        "task_id": key, "run_id": RUN, "title": key, "goal": "g", "why_this_matters": "w", "dependencies": needs,
        "required_capabilities": ("c",), "success_criteria": ("s",), "expected_output": "o",
        "assignment": Assignment(owner=AgentId(owner), verifier=AgentId("checker"), domain_scope=domain),
        "communication_policy": CommunicationPolicy(may_contact_others=True), "created_by": AgentId("lead"),
        "created_at": NOON, "updated_at": NOON,
    }  # fmt: skip
    return Task(spec=TaskSpec.model_validate(given | spec), state="running")


def plan(**spec: Any) -> dict[TaskId, Task]:
    """Changes build on logs; nodes stand alone."""
    tasks = (
        task(LOGS, "log_reader", domain="telemetry", **spec),
        task(CHANGES, "change_reader", LOGS, domain="change", **spec),
        task(NODES, "node_reader", domain="telemetry", **spec),
    )
    return {t.spec.task_id: t for t in tasks}


def context(topology: str = "controlled_bus", messages: tuple[AgentMessage, ...] = (), **spec: Any) -> GateContext:
    return GateContext(team(topology), plan(**spec), Traffic.of(messages))


def draft(payload: Any, by: str, to: str | None, about: TaskId | None = LOGS, **more: Any) -> Draft:
    given = {"from_agent": by, "to_agent": to, "task_id": about, "summary": "short", "payload": payload}
    return Draft.model_validate(given | more)


def message(what: Draft, topology: str = "controlled_bus") -> AgentMessage:
    return compose(what, run_id=RUN, topology=topology, at=NOON)  # type: ignore[arg-type]


def verdict(what: Draft, within: GateContext | None = None) -> Admitted | RefusedMessage:
    within = within or context()
    return judge(message(what, within.team.topology), within)


def reason(what: Draft, within: GateContext | None = None) -> str:
    """Why it is refused; empty where it is admitted."""
    found = verdict(what, within)
    return found.reason if isinstance(found, RefusedMessage) else ""


def question(
    by: str = "log_reader", to: str = "change_reader", text: str = "Does a change touch it?", **more: Any
) -> Draft:
    asked = DependencyQuestion(question=text, answer_fields=("change",))
    return draft(asked, by, to, **{"related_task_ids": (CHANGES,), "context_refs": ("clm-1",), **more})


TIGHT = Budget(messages=2, clarification_rounds=1, review_rounds=1, wait_seconds=60.0)
ANSWER = ExpectedResponse(format="an answer", deadline_ms=40_000)
CLARIFICATION = Clarification(question="Which zone?", why_blocking="no times", options=("UTC",), needed_by="the report")
GOOD: dict[str, Draft] = {
    "task_assigned": draft(
        TaskAssigned(delegation_id="dlg-1", contract_version="1", objective="o", attempt=1),
        "lead", "log_reader", context_refs=("dlg-1",),
    ),
    "clarification_requested": draft(CLARIFICATION, "log_reader", "lead", context_refs=("clm-1",)),
    "progress_reported": draft(Progress(findings=("x rose",), next_step="wait"), "log_reader", "lead"),
    "blocker_raised": draft(
        BlockerRaised(blocker="no access", needs="lead", who="lead", suggested_resolution=("give access",)),
        "log_reader", "lead",
    ),
    "report_submitted": draft(
        ReportSubmitted(report_id="rep-1", attempt=1, findings=2, seconds=1.0),
        "log_reader", "lead", artifact_refs=("rep-1",),
    ),
    "revision_requested": draft(
        RevisionRequested(report_id="rep-1", reason="r", required_changes=("c",), deadline_policy="new_lease"),
        "checker", "log_reader", artifact_refs=("rep-1",),
    ),
    "subtask_requested": draft(
        SubtaskRequest(title="t", reason="r", capability="analyze_nodes"), "log_reader", "lead", context_refs=("clm-1",)
    ),
    "dependency_question": question(),
    "dependency_answer": draft(
        DependencyAnswer(question_id="msg-1", answer="yes", confidence=0.9), "change_reader", "log_reader", CHANGES,
        related_task_ids=(LOGS,), evidence_refs=("obs-1",),
    ),
    "artifact_handoff": draft(
        ArtifactHandoff(artifact_ref="art-1", why_relevant="its keys"), "log_reader", "change_reader",
        related_task_ids=(CHANGES,), artifact_refs=("art-1",),
    ),
    "review_requested": draft(
        ReviewRequested(artifact_ref="rep-1", focus=("times",)), "log_reader", "checker", artifact_refs=("rep-1",)
    ),
    "review_result": draft(
        ReviewResult(artifact_ref="rep-1", status="approved"), "checker", "log_reader", artifact_refs=("rep-1",)
    ),
    "blocker_support_requested": draft(
        BlockerSupport(blocker="no schema", needed_artifacts=("a schema",)), "log_reader", "change_reader",
        related_task_ids=(CHANGES,), context_refs=("clm-1",),
    ),
    "interface_contract_proposal": draft(
        InterfaceContract(contract={"response": "art-1"}, compatibility="backward_compatible"), "log_reader",
        "change_reader", related_task_ids=(CHANGES,), artifact_refs=("art-1",),
    ),
    "conflict_notice": draft(
        ConflictNotice(
            conflict_id="cfl-1", description="d", involved_artifacts=("a", "b"), risk="medium",
            suggested_resolution=("keep a",), decision_owner="lead",
        ),
        "checker", "lead", artifact_refs=("a", "b"),
    ),
    "decision_proposed": draft(DecisionProposed(subject="s", options=("a", "b"), preferred="a"), "log_reader", "lead"),
    "decision_recorded": draft(
        DecisionRecorded(decision_id="dec-1", decision="a"), "lead", "log_reader", context_refs=("dec-1",)
    ),
    "handoff_requested": draft(HandoffRequested(reason="too much"), "log_reader", "lead"),
    "handoff_accepted": draft(
        HandoffAccepted(assignment_id="asg-1", new_owner=AgentId("node_reader")), "lead", "log_reader",
        context_refs=("asg-1",),
    ),
}  # fmt: skip
"""On a bus, one of each kind."""
