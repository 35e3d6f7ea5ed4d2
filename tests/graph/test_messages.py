"""What agents write to each other in whole runs, and what they may not."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.arbitration import DecisionRecord
from leadline.contracts.base import AgentId
from leadline.contracts.evidence import Answer, ProbeSpec, SourceCoverage
from leadline.contracts.lifecycle import MESSAGE_OVER
from leadline.contracts.message import USER, AgentMessage, Draft, MessagePolicy
from leadline.contracts.message_payload import (
    Clarification,
    DecisionRecorded,
    DependencyQuestion,
    HandoffRequested,
    Progress,
)
from leadline.contracts.ports import Desk
from leadline.contracts.proposal import MessagesProposal
from leadline.contracts.task import Task
from leadline.contracts.team import ASKS
from leadline.graph.versions import VERSIONS
from leadline.runtime.outcome import StartRequest
from leadline.runtime.team import load_team
from tests.doubles.paper import PaperAnalyst, PaperEvidence, shift

Serve = Callable[..., Any]
BUNDLE = Path("paper")


class LoggedPaper(PaperEvidence):
    """The same incident with logs to read."""

    def coverage(self) -> tuple[SourceCoverage, ...]:
        return (*super().coverage()[:2], SourceCoverage(source="logs", status="ok", files=1, rows=4))

    def probes(self) -> tuple[ProbeSpec, ...]:
        logs: dict[str, Any] = {"sources": ("logs",)}
        return tuple(p.model_copy(update=logs) if p.name == "log_lines" else p for p in super().probes())


@pytest.fixture
def paper() -> PaperEvidence:
    return LoggedPaper()


def with_logs(paper: PaperEvidence, writer: type[PaperAnalyst] = PaperAnalyst) -> PaperEvidence:
    """A log analyst before the one who reads changes."""
    paper.answers["log_lines"] = Answer(status="ok", facts=(shift("till", at=1),), rows_read=4)
    metrics, changes = paper.crew
    logs = writer("analyze_logs", "log_lines", ("logs",))
    paper.crew = (metrics, logs, replace(changes, after=("analyze_metrics", "analyze_logs")))
    return paper


async def run(service: Any, graph: str) -> tuple[Any, tuple[AgentMessage, ...], tuple[Any, ...]]:
    outcome = await service.start(StartRequest(bundle=BUNDLE, graph=graph))
    reader = service.store.reader(outcome.run.run_id)
    return outcome, await reader.all(AgentMessage), await reader.events()


def told(messages: Sequence[AgentMessage], *kinds: str) -> list[tuple[str, str, str]]:
    return [(m.kind, str(m.from_agent), str(m.to_agent)) for m in messages if m.kind in kinds]


@pytest.mark.parametrize("graph", VERSIONS)
async def test_assignment_report_and_progress_are_told_and_settled(serve: Serve, graph: str) -> None:
    async with serve() as service:
        outcome, messages, events = await run(service, graph)
        tasks = await service.store.reader(outcome.run.run_id).all(Task)
    kinds = Counter(m.kind for m in messages)
    assert kinds == {"task_assigned": len(tasks), "report_submitted": len(tasks), "progress_reported": len(tasks)}
    assert {m.state for m in messages} == {"resolved"}
    assert not [e for e in events if e.kind == "message.refused"]
    moved = Counter(e.to_state for e in events if e.lifecycle == "message")
    assert moved == {"delivered": len(messages), "acknowledged": len(messages), "resolved": len(messages)}


QUESTIONS = ("subtask_requested", "dependency_question", "dependency_answer")


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (
            "star@1",
            [
                ("subtask_requested", "log_analyst", "lead"),
                ("dependency_question", "lead", "change_analyst"),
                ("dependency_answer", "change_analyst", "lead"),
                ("dependency_answer", "lead", "log_analyst"),
            ],
        ),
        (
            "bus@1",
            [
                ("dependency_question", "log_analyst", "change_analyst"),
                ("dependency_answer", "change_analyst", "log_analyst"),
            ],
        ),
        (
            "hierarchy@1",
            [
                ("dependency_question", "log_analyst", "telemetry_lead"),
                ("dependency_question", "telemetry_lead", "change_lead"),
                ("dependency_answer", "change_analyst", "change_lead"),
                ("dependency_answer", "change_lead", "telemetry_lead"),
                ("dependency_answer", "telemetry_lead", "log_analyst"),
            ],
        ),
        ("single@1", []),
    ],
)
async def test_a_question_takes_the_way_that_its_topology_leaves_open(
    serve: Serve, paper: PaperEvidence, graph: str, expected: list[tuple[str, str, str]]
) -> None:
    with_logs(paper)
    async with serve() as service:
        outcome, messages, _events = await run(service, graph)
    assert told(messages, *QUESTIONS) == expected
    assert {m.state for m in messages} == {"resolved"}
    assert outcome.exit_code == 0
    answers = [m for m in messages if m.kind == "dependency_answer"]
    assert all(m.evidence_refs and "c1" in m.content_summary for m in answers)
    assert len({m.thread_id for m in messages if m.kind in QUESTIONS}) == bool(expected)


async def test_the_verdict_does_not_depend_on_who_may_write_to_whom(serve: Serve, paper: PaperEvidence) -> None:
    with_logs(paper)
    async with serve() as service:
        outcomes = [await service.start(StartRequest(bundle=BUNDLE, graph=graph)) for graph in VERSIONS]
    assert len({tuple((c.ref, c.confidence) for c in o.report.causes) for o in outcomes}) == 1


async def test_a_blocker_names_who_must_act(serve: Serve, paper: PaperEvidence) -> None:
    paper.crew = (*paper.crew, PaperAnalyst("analyze_logs", "nobody_has_this", ("metrics",)))
    async with serve() as service:
        _outcome, messages, _events = await run(service, "star@1")
    raised = [m.payload for m in messages if m.kind == "blocker_raised"]
    assert next((p.needs, p.who, p.suggested_resolution) for p in raised) == (
        "lead",
        "lead",
        ("give access for nobody_has_this",),
    )


@dataclass
class Rude(PaperAnalyst):
    """Says what it may not."""

    def letters(self, desk: Desk) -> Sequence[Draft]:
        changes = next(t for t in desk.tasks if "analyze_changes" in t.spec.required_capabilities).spec.task_id
        other = AgentId("change_analyst")

        def to(receiver: AgentId | None, payload: Any, **more: Any) -> Draft:
            return Draft(
                from_agent=desk.agent, to_agent=receiver, task_id=None, summary="listen", payload=payload,
                related_task_ids=(changes,), context_refs=("clm-1",), artifact_refs=("art-1",), **more,
            )  # fmt: skip

        asked = DependencyQuestion(question="may I?", answer_fields=("yes",))
        return (
            to(other, HandoffRequested(reason="do my task for me")),
            to(other, asked, policy=MessagePolicy(can_transfer_ownership=True)),
            to(None, DecisionRecorded(decision_id="dec-1", decision="all stop"), broadcast_as="major_decision"),
            to(AgentId("verifier"), Progress(findings=("line one\nline two",), next_step="x")),
            to(USER, asked),
            to(AgentId("platform_lead"), asked),
        )


@pytest.mark.parametrize("graph", ["star@1", "bus@1", "hierarchy@1"])
async def test_what_no_agent_may_say_is_refused_recorded_and_harms_nothing(
    serve: Serve, paper: PaperEvidence, graph: str
) -> None:
    with_logs(paper, Rude)
    async with serve() as service:
        outcome, messages, events = await run(service, graph)
        tasks = await service.store.reader(outcome.run.run_id).all(Task)
    refused = [e for e in events if e.kind == "message.refused"]
    assert len(refused) == 6
    assert all(e.by == "log_analyst" and e.reason for e in refused)
    assert outcome.exit_code == 0
    assert {t.state for t in tasks} == {"merged"}
    owners = {t.spec.required_capabilities[0]: t.spec.assignment.owner for t in tasks}
    assert owners["analyze_logs"] == "log_analyst"
    assert not told(messages, "handoff_requested", "decision_recorded")


@dataclass
class Flooding(PaperAnalyst):
    def letters(self, desk: Desk) -> Sequence[Draft]:
        changes = next(t for t in desk.tasks if "analyze_changes" in t.spec.required_capabilities).spec.task_id
        return [
            Draft(
                from_agent=desk.agent, to_agent=AgentId("change_analyst"), task_id=None, related_task_ids=(changes,),
                summary=f"question {n}", payload=DependencyQuestion(question=f"and {n}?", answer_fields=("all",)),
                context_refs=("clm-1",),
            )
            for n in range(1000)
        ]  # fmt: skip


async def test_a_flood_stops_at_the_budget_and_the_run_ends(serve: Serve, paper: PaperEvidence) -> None:
    with_logs(paper, Flooding)
    async with serve() as service:
        outcome, messages, events = await run(service, "bus@1")
    mine = [m for m in messages if m.from_agent == "log_analyst"]
    assert len(mine) <= 20
    refused = [e for e in events if e.kind == "message.refused"]
    assert 20 < len(refused) + len(mine) <= 60
    again = "it says again what was said already"
    assert {e.reason for e in refused} - {again} == {"its budget of 20 messages is spent"}
    assert outcome.exit_code == 0
    assert {m.state for m in messages} <= MESSAGE_OVER


@dataclass
class Echo(PaperAnalyst):
    """Answers every question with a question, for ever."""

    def letters(self, desk: Desk) -> Sequence[Draft]:
        asked = [m for m in desk.inbox if m.kind == "dependency_question"]
        peer = "change_analyst" if self.capability == "analyze_logs" else "log_analyst"
        other = next(
            t for t in desk.tasks if t.key != desk.task.key and "analyze_metrics" not in t.spec.required_capabilities
        )
        thread = asked[-1].thread_id if asked else ""
        return [
            Draft(
                from_agent=desk.agent, to_agent=AgentId(peer), task_id=None, related_task_ids=(other.spec.task_id,),
                summary="why?", context_refs=("clm-1",), thread_id=thread,
                payload=DependencyQuestion(
                    question=f"why {asked[-1].message_id if asked else 'so'}?", answer_fields=("w",)
                ),
            )
        ]  # fmt: skip


async def test_a_loop_of_questions_ends(serve: Serve, paper: PaperEvidence) -> None:
    with_logs(paper, Echo)
    metrics, logs, changes = paper.crew
    paper.crew = (metrics, logs, Echo(changes.capability, changes.probe, changes.sources, changes.after))
    async with serve() as service:
        outcome, messages, _events = await run(service, "bus@1")
    assert outcome.exit_code == 0
    assert 2 <= len(told(messages, "dependency_question")) <= 16
    assert {m.state for m in messages} <= MESSAGE_OVER


@dataclass
class Doubting(PaperAnalyst):
    def letters(self, desk: Desk) -> Sequence[Draft]:
        if desk.inbox:
            return ()
        return [
            Draft(
                from_agent=desk.agent, to_agent=desk.lead, task_id=None, summary="which zone?", context_refs=("clm-1",),
                payload=Clarification(
                    question="Are these times in UTC?", why_blocking="the order of events hangs on it",
                    options=("take them as UTC", "leave the lines out"), needed_by="the report",
                ),
            )
        ]  # fmt: skip


@pytest.mark.parametrize("graph", ["star@1", "bus@1", "hierarchy@1"])
async def test_a_clarification_is_answered_by_a_recorded_decision(
    serve: Serve, paper: PaperEvidence, graph: str
) -> None:
    with_logs(paper, Doubting)
    async with serve() as service:
        outcome, messages, _events = await run(service, graph)
        decisions = await service.store.reader(outcome.run.run_id).all(DecisionRecord)
    answered = [m for m in messages if m.kind == "clarification_requested"]
    assert [m.state for m in answered] == ["resolved"]
    lead = "telemetry_lead" if graph == "hierarchy@1" else "lead"
    assert told(messages, "decision_recorded") == [("decision_recorded", lead, "log_analyst")]
    assert [(d.decision, d.made_by) for d in decisions if "UTC" in d.subject] == [("take them as UTC", lead)]
    assert any(d.decision == "take them as UTC" for d in outcome.report.decisions)


class TestModels:
    """A model may write where its team lets it, through small forms, and only about what exists."""

    def script(self, **forms: Any) -> Any:
        def answer(ask: Any) -> Any:
            if ask.form is not MessagesProposal or "log" not in ask.agent:
                return ask.baseline
            own = [ref for ref, _ in ask.prompt.claims]
            filled = {k: [item | {"claims": own[:1]} for item in v] for k, v in forms.items()}
            return MessagesProposal.model_validate({"clarifications": [], "questions": [], "subtasks": []} | filled)

        return answer

    @pytest.fixture
    def writing(self, settings: Any, paper: PaperEvidence) -> Callable[..., Any]:
        from leadline.runtime.service import open_service
        from tests.graph.conftest import parts_of

        team = load_team().model_copy(update={"asks": ASKS})
        return lambda script: open_service(settings, parts_of(with_logs(paper), script, team))

    async def test_a_question_reaches_the_owner(self, writing: Callable[..., Any]) -> None:
        wanted = {
            "task": "changes: what could have produced it", "question": "Was a pool resized?", "services": ["till", "moon"],
        }  # fmt: skip
        async with writing(self.script(questions=[wanted])) as service:
            _outcome, messages, _events = await run(service, "bus@1")
        asked = [m for m in messages if m.content_summary == "Was a pool resized?"]
        assert [(m.from_agent, m.to_agent, m.payload.about, m.state) for m in asked] == [
            ("log_analyst", "change_analyst", ("till",), "resolved")
        ]

    async def test_a_wish_becomes_a_task_by_the_lead_alone(self, writing: Callable[..., Any]) -> None:
        wanted = {"title": "Door again", "reason": "the door", "capability": "analyze_metrics", "services": ["door"]}
        async with writing(self.script(subtasks=[wanted])) as service:
            outcome, messages, events = await run(service, "star@1")
            tasks = await service.store.reader(outcome.run.run_id).all(Task)
        new = next(t for t in tasks if t.spec.title == "Door again")
        wish = next(m for m in messages if m.kind == "subtask_requested" and m.payload.title == "Door again")
        assert (new.state, new.origin, new.spec.input_refs[-1].ref) == ("merged", "model", wish.message_id)
        created = next(e for e in events if e.subject == new.key and e.to_state == "ready")
        assert created.by == "lead"

    async def test_what_does_not_exist_cannot_be_named(self, writing: Callable[..., Any]) -> None:
        wanted = {"task": "Tasks of my dreams", "question": "Well?", "services": []}
        async with writing(self.script(questions=[wanted])) as service:
            outcome, messages, events = await run(service, "bus@1")
        assert not [m for m in messages if m.content_summary == "Well?"]
        assert any(e.kind == "claim.refused" and "dreams" in e.subject for e in events)
        assert outcome.exit_code == 0

    async def test_the_shipped_team_spends_no_call_on_messages(self, serve: Serve) -> None:
        asked: list[str] = []

        def answer(ask: Any) -> Any:
            asked.append(ask.form.__name__)
            return ask.baseline

        async with serve(answer) as service:
            await run(service, "bus@1")
        assert "MessagesProposal" not in asked
