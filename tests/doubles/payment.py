"""The worked example of the team protocol on paper: a payment module is refactored, checkout has to keep working.

Five pieces of work with four agents. Each analyst repeats the facts of its one probe, and writes what its agent would.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.contracts.base import AgentId, TaskId
from leadline.contracts.claim import Claim, Fact, Subject
from leadline.contracts.evidence import Answer, ProbeSpec, SourceCoverage
from leadline.contracts.incident import Incident
from leadline.contracts.message import Draft, ExpectedResponse, MailboxMessage, MessageKind
from leadline.contracts.message_payload import (
    ConflictNotice,
    DependencyAnswer,
    DependencyQuestion,
    InterfaceContract,
    Payload,
    ReviewIssue,
    ReviewRequested,
    ReviewResult,
)
from leadline.contracts.ports import Desk
from leadline.contracts.report import Ranking
from leadline.contracts.team import AgentSpec, TeamSpec
from tests.doubles.paper import NOON, PaperAnalyst, PaperEvidence

SCHEMA_V0, SCHEMA_V1 = "artifact://payment_response_schema_v0", "artifact://payment_intent_response_schema_v1"
FIXTURE, SCAN = "artifact://payment_test_fixture_v1", "artifact://checkout_payment_dependency_scan"
STATUS_LINES = "src/checkout/payment-status.ts#L44-L68"
KEEP = "let test_agent add a requires_action fixture"


def team(**changes: object) -> TeamSpec:
    def agent(name: str, *capabilities: str, works: bool = True) -> AgentSpec:
        return AgentSpec(
            id=AgentId(name), description=name, capabilities=capabilities, probes=("*",), accepts_delegation=works
        )

    return TeamSpec.model_validate(
        {
            "name": "payments",
            "version": "1",
            "root_owner": "lead_agent",
            "agents": (
                agent("lead_agent", "plan", works=False),
                agent("verifier", "verify", works=False),
                agent("backend_agent", "payment_api_analysis", "payment_adapter"),
                agent("frontend_agent", "checkout_scan"),
                agent("reviewer_agent", "contract_review"),
                agent("test_agent", "payment_tests"),
            ),
        }
        | changes
    )


def fact(subject: str, relation: str, said: str, quote: str = "") -> Fact:
    return Fact.model_validate(
        {
            "subject": Subject(kind="component", ref=subject), "signal": "document:code", "relation": relation,
            "object": said, "at": NOON, "strength": 0.91, "quote": quote,
        }
    )  # fmt: skip


@dataclass
class Agent(PaperAnalyst):
    def task_of(self, desk: Desk, capability: str) -> TaskId:
        return next(t.spec.task_id for t in desk.tasks if capability in t.spec.required_capabilities)

    def got(self, desk: Desk, kind: MessageKind) -> MailboxMessage | None:
        return next((m for m in desk.inbox if m.kind == kind), None)

    def write(self, desk: Desk, to: str, payload: Payload, about: str, **more: object) -> Draft:
        given = {
            "from_agent": desk.agent, "to_agent": to, "task_id": desk.task.spec.task_id, "payload": payload,
            "related_task_ids": (self.task_of(desk, about),), "summary": payload.kind.replace("_", " "),
        }  # fmt: skip
        return Draft.model_validate(given | more)

    def letters(self, desk: Desk) -> Sequence[Draft]:
        return ()


@dataclass
class Adapter(Agent):
    """Backend: asks what checkout needs, then says what the interface will be, and wants it reviewed."""

    def letters(self, desk: Desk) -> Sequence[Draft]:
        answer = self.got(desk, "dependency_answer")
        if not desk.inbox:
            asked = DependencyQuestion(
                question='Does the checkout UI depend on payment_status = "requires_action"?',
                answer_fields=("schema_dependency_summary",),
            )
            due = ExpectedResponse(format="schema_dependency_summary", deadline_ms=60_000)
            return (
                self.write(desk, "frontend_agent", asked, "checkout_scan", blocking=True, context_refs=(SCHEMA_V0,),
                           expected_response=due),
            )  # fmt: skip
        if answer is None:
            return ()
        kept = InterfaceContract(contract={"response_schema": SCHEMA_V1}, compatibility="backward_compatible")
        review = ReviewRequested(artifact_ref=SCHEMA_V1, focus=("public API compatibility", "idempotency"))
        return (
            self.write(desk, "frontend_agent", kept, "checkout_scan", artifact_refs=(SCHEMA_V1,),
                       thread_id=answer.thread_id),
            self.write(desk, "reviewer_agent", review, "contract_review", artifact_refs=(SCHEMA_V1,),
                       expected_response=ExpectedResponse(format="review_result")),
        )  # fmt: skip


@dataclass
class Checkout(Agent):
    """Frontend: answers from its scan."""

    def letters(self, desk: Desk) -> Sequence[Draft]:
        asked = self.got(desk, "dependency_question")
        if asked is None:
            return ()
        said = DependencyAnswer(
            question_id=asked.message_id,
            answer="Yes: the 3DS flow of checkout waits for requires_action.",
            confidence=0.91,
        )
        return (
            self.write(desk, asked.from_agent, said, "payment_adapter", evidence_refs=(STATUS_LINES,),
                       artifact_refs=(SCAN,), thread_id=asked.thread_id),
        )  # fmt: skip


@dataclass
class Reviewer(Agent):
    """Finds that the tests do not cover what the schema keeps: a conflict, told to the lead."""

    def letters(self, desk: Desk) -> Sequence[Draft]:
        asked = self.got(desk, "review_requested")
        if asked is None:
            return ()
        issue = ReviewIssue(
            issue="the fixture has no requires_action", evidence_refs=(FIXTURE,), suggested_fix="add it to the fixture"
        )
        result = ReviewResult(artifact_ref=SCHEMA_V1, status="changes_requested", blocking_issues=(issue,))
        notice = ConflictNotice(
            conflict_id="cfl-requires-action",
            description="the schema keeps requires_action, the test fixture does not cover it",
            involved_artifacts=(SCHEMA_V1, FIXTURE), risk="medium",
            suggested_resolution=(KEEP, "let backend_agent mark the status legacy-only"), decision_owner="lead_agent",
        )  # fmt: skip
        due = ExpectedResponse(format="decision_recorded")
        return (
            self.write(desk, "backend_agent", result, "payment_adapter", artifact_refs=(SCHEMA_V1,),
                       thread_id=asked.thread_id),
            self.write(desk, desk.lead, notice, "payment_tests", artifact_refs=(SCHEMA_V1, FIXTURE),
                       expected_response=due),
        )  # fmt: skip


class PaymentEvidence(PaperEvidence):
    """What the repository says, as answers to five questions."""

    def __init__(self) -> None:
        super().__init__(
            incident=Incident(id="payment-refactor", title="refactor payments, keep checkout and old orders working"),
            answers={
                "read_api": Answer(
                    status="ok", facts=(fact("payments.api", "states", "payment_status"),), rows_read=1
                ),
                "scan_checkout": Answer(
                    status="ok", facts=(fact("checkout", "touches", "requires_action", STATUS_LINES),), rows_read=1
                ),
                "diff_adapter": Answer(
                    status="ok", facts=(fact("payments.adapter", "touches", "response_schema"),), rows_read=1
                ),
                "compare_schemas": Answer(
                    status="ok", facts=(fact("payments.fixture", "states", "requires_action missing"),), rows_read=1
                ),
                "run_payment_tests": Answer(
                    status="ok", facts=(fact("payments.tests", "states", "requires_action covered, 41 passed"),),
                    rows_read=41,
                ),
            },
            crew=(
                Agent("payment_api_analysis", "read_api", ("documents",)),
                Checkout("checkout_scan", "scan_checkout", ("documents",)),
                Adapter("payment_adapter", "diff_adapter", ("changes",), after=("payment_api_analysis",)),
                Reviewer("contract_review", "compare_schemas", ("documents",), after=("payment_adapter", "checkout_scan")),
                Agent("payment_tests", "run_payment_tests", ("documents",), after=("payment_adapter", "contract_review")),
            ),
        )  # fmt: skip

    def coverage(self) -> tuple[SourceCoverage, ...]:
        return (
            SourceCoverage(source="documents", status="ok", files=3, rows=43),
            SourceCoverage(source="changes", status="ok", files=1, rows=1),
        )

    def services(self) -> tuple[str, ...]:
        return ("checkout", "payments")

    def probes(self) -> tuple[ProbeSpec, ...]:
        return tuple(
            ProbeSpec(name=n, question=f"{n}?", sources=("documents", "changes"), params={}, cost="cheap")
            for n in self.answers
        )

    def rank(self, claims: Sequence[Claim]) -> Ranking:
        """There is no incident to explain: the claims are the result."""
        return Ranking(outcome="inconclusive", missing=("an incident",))
