"""The payment refactoring, end to end through the bus's own nodes and rules, its event log step by step."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from leadline.contracts.arbitration import ArbitrationRecord, Conflict, DecisionRecord
from leadline.contracts.assignment import AssignmentDecision, TaskLease
from leadline.contracts.event import Event
from leadline.contracts.message import AgentMessage
from leadline.contracts.task import Task
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from tests.doubles.payment import FIXTURE, KEEP, SCHEMA_V0, SCHEMA_V1, STATUS_LINES, PaymentEvidence, team
from tests.graph.conftest import parts_of


class Played(NamedTuple):
    outcome: Any
    tasks: dict[str, Task]
    messages: tuple[AgentMessage, ...]
    events: tuple[Event, ...]
    records: Any

    def names(self) -> dict[str, str]:
        return {t.key: name for name, t in self.tasks.items()}


async def play(settings: Any, graph: str = "bus@1") -> Played:
    async with open_service(settings, parts_of(PaymentEvidence(), team=team())) as service:
        outcome = await service.start(StartRequest(bundle=Path("payments"), graph=graph))
        reader = service.store.reader(outcome.run.run_id)
        tasks = {t.spec.required_capabilities[0]: t for t in await reader.all(Task)}
        kept = {
            kind: await reader.all(kind)
            for kind in (ArbitrationRecord, AssignmentDecision, Conflict, DecisionRecord, TaskLease)
        }
        return Played(outcome, tasks, await reader.all(AgentMessage), await reader.events(), kept)


@pytest.fixture
async def played(settings: Any) -> Played:
    return await play(settings)


STORY = [
    # Step 1: the plan
    "ready payment_api_analysis", "ready checkout_scan", "ready payment_adapter", "ready contract_review",
    "ready payment_tests",
    # Step 2: those that can begin are claimed and done
    "running payment_api_analysis by backend_agent", "running checkout_scan by frontend_agent",
    "accepted checkout_scan", "accepted payment_api_analysis",
    # Step 3: the backend needs to know what checkout depends on, and is told with evidence
    "running payment_adapter by backend_agent",
    "dependency_question backend_agent -> frontend_agent",
    "accepted payment_adapter",
    "dependency_answer frontend_agent -> backend_agent",
    # Step 4: the interface as a contract, acknowledged, and put up for review
    "interface_contract_proposal backend_agent -> frontend_agent",
    "review_requested backend_agent -> reviewer_agent",
    "acknowledged interface_contract_proposal by frontend_agent",
    # Step 5: the review finds a conflict
    "running contract_review by reviewer_agent",
    "review_result reviewer_agent -> backend_agent",
    "conflict_notice reviewer_agent -> lead_agent",
    "accepted contract_review",
    # Step 6: the lead decides, and those who are affected hear of it
    "decision_recorded lead_agent -> reviewer_agent",
    "decision_recorded lead_agent -> test_agent",
    # Step 7: the tests cover it, the verifier asks again, the whole is merged
    "running payment_tests by test_agent",
    "acknowledged decision_recorded by test_agent",
    "accepted payment_tests",
    "merged payment_tests",
]  # fmt: skip


def story(played: Played) -> list[str]:
    """The event log in short: what became of tasks, what was said to whom."""
    names = played.names()
    by_id = {m.message_id: m for m in played.messages}
    told = []
    for event in played.events:
        if event.lifecycle == "task":
            by = f" by {event.by}" if event.to_state == "running" else ""
            told.append(f"{event.to_state} {names[event.subject]}{by}")
        elif event.lifecycle == "message":
            message = by_id[event.subject]
            if event.to_state == "delivered":
                told.append(f"{message.kind} {message.from_agent} -> {message.to_agent}")
            else:
                told.append(f"{event.to_state} {message.kind} by {event.by}")
    return told


def in_order(steps: list[str], told: list[str]) -> list[str]:
    """The steps that do not come in this order; of a group that runs at once the order inside does not matter."""
    place, missing = 0, []
    for step in steps:
        found = next((n for n in range(max(0, place - 30), len(told)) if told[n] == step), None)
        if found is None:
            missing.append(step)
        else:
            place = max(place, found)
    return missing


async def test_the_event_log_tells_the_story(played: Played) -> None:
    told = story(played)
    assert in_order(STORY, told) == []
    strict = [s for s in STORY if "->" in s]
    assert [s for s in told if s in strict] == strict


async def test_the_plan_is_the_documents_task_graph(played: Played) -> None:
    names = played.names()
    needs = {name: sorted(names[d] for d in t.spec.dependencies) for name, t in played.tasks.items()}
    assert needs == {
        "payment_api_analysis": [],
        "checkout_scan": [],
        "payment_adapter": ["payment_api_analysis"],
        "contract_review": ["checkout_scan", "payment_adapter"],
        "payment_tests": ["contract_review", "payment_adapter"],
    }
    assert {name: t.spec.assignment.owner for name, t in played.tasks.items()} == {
        "payment_api_analysis": "backend_agent",
        "checkout_scan": "frontend_agent",
        "payment_adapter": "backend_agent",
        "contract_review": "reviewer_agent",
        "payment_tests": "test_agent",
    }
    assert {t.state for t in played.tasks.values()} == {"merged"}


async def test_question_and_answer_carry_references(played: Played) -> None:
    question = next(m for m in played.messages if m.kind == "dependency_question")
    answer = next(m for m in played.messages if m.kind == "dependency_answer")
    assert (question.channel, question.blocking, question.context_refs) == ("mailbox", True, (SCHEMA_V0,))
    assert question.related_task_ids == (played.tasks["checkout_scan"].spec.task_id,)
    assert (answer.evidence_refs, answer.payload.confidence) == ((STATUS_LINES,), 0.91)
    assert answer.thread_id == question.thread_id
    resolved = next(e for e in played.events if e.subject == question.message_id and e.to_state == "resolved")
    assert resolved.reason == answer.message_id


async def test_the_conflict_is_an_object_with_a_decision_in_the_log(played: Played) -> None:
    decision = next(d for d in played.records[DecisionRecord] if d.made_by == "lead_agent" and d.decision == KEEP)
    told = [m.payload for m in played.messages if m.kind == "decision_recorded"]
    affected = {played.tasks[n].spec.task_id for n in ("contract_review", "payment_tests")}
    assert {p.decision_id for p in told} == {decision.decision_id}
    assert all(set(p.affected_tasks) == affected for p in told)
    conflict = next(c for c in played.records[Conflict] if c.conflict_id == "cfl-requires-action")
    assert {s.ref for s in conflict.sides} == {SCHEMA_V1, FIXTURE}
    assert conflict.ruling.startswith(KEEP)
    assert any(d.decision == KEEP for d in played.outcome.report.decisions)


async def test_every_message_found_its_end_and_none_was_refused(played: Played) -> None:
    assert [e.reason for e in played.events if e.kind == "message.refused"] == []
    assert {m.state for m in played.messages} == {"resolved"}


async def test_nothing_that_was_said_moved_a_task(played: Played) -> None:
    leases = played.records[TaskLease]
    assert {lease.state for lease in leases} == {"completed"}
    assert len(leases) == len(played.tasks)
    assert len(played.records[AssignmentDecision]) == len(played.tasks)


async def test_what_agents_may_not_say_in_a_star_goes_by_the_lead_or_not_at_all(settings: Any) -> None:
    played = await play(settings, "star@1")
    refused = [e for e in played.events if e.kind == "message.refused"]
    assert {e.data["kind"] for e in refused} == {"dependency_question"}
    assert {"ask the lead" in e.reason for e in refused} == {True}
    assert {t.state for t in played.tasks.values()} == {"merged"}
