"""One filled prompt per template, and what a useful and a useless model would answer to it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from leadline.contracts.action_catalog import ActionSpec, ArgumentSpec
from leadline.contracts.base import AgentId, ClaimId, Digest, ObservationId, TaskId
from leadline.contracts.claim import Claim, Fact, Subject
from leadline.contracts.delegation import DelegationBrief
from leadline.contracts.evidence import Answer, Observation, ProbeCall, ProbeSpec, SourceCoverage
from leadline.contracts.incident import Alert, CauseRef, Incident, TimeWindow
from leadline.contracts.ports import Ask
from leadline.contracts.proposal import (
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
from leadline.contracts.report import AgentReport, Finding, RankedCause, Ranking
from leadline.contracts.task import Budget, CommunicationPolicy, OutputContract, Scope
from leadline.prompts.questions import (
    ActionsPrompt,
    FindingsPrompt,
    MechanismPrompt,
    MessagesPrompt,
    NarrativePrompt,
    PlanPrompt,
    ProbesPrompt,
    Question,
    ReviewPrompt,
    TriagePrompt,
)

T0 = datetime(2026, 7, 11, 12, 0, tzinfo=UTC)


def incident(title: str = "checkout error budget burning", alerts: int = 1) -> Incident:
    alert = Alert(service="shop", metric="error_rate", fired_at=T0 + timedelta(minutes=30), summary="errors above 5 %")
    return Incident(
        id="inc-1", title=title, window=TimeWindow(start=T0, end=T0 + timedelta(hours=2)), alerts=(alert,) * alerts
    )


def fact(number: int = 1, quote: str = "") -> Fact:
    return Fact(
        subject=Subject(kind="service", ref=f"store-{number}"),
        signal="metric:latency_p95",
        relation="rises",
        value=812.5,
        baseline=40.0,
        unit="ms",
        at=T0 + timedelta(minutes=20, seconds=number % 60),
        strength=0.91,
        quote=quote,
    )


def observation(number: int = 1, facts: int = 3, quote: str = "") -> Observation:
    answer = Answer(status="ok", facts=tuple(fact(i, quote) for i in range(1, facts + 1)), rows_read=4000)
    return Observation(
        id=ObservationId(f"obs-{number:012x}"),
        call=ProbeCall(probe="metric_shift", params={"service": f"store-{number}"}),
        probe_version=1,
        bundle_digest=Digest("b" * 64),
        answer=answer,
        answer_digest=answer.digest,
        asked_by=AgentId("metrics"),
        task_id=TaskId("tsk-1"),
        asked_for="rules",
    )


def claim(number: int = 1, quote: str = "") -> Claim:
    said = fact(number, quote).model_dump()
    return Claim(
        **said,
        id=ClaimId(f"clm-{number:012x}"),
        observations=(ObservationId("obs-000000000001"),),
        made_by=AgentId("metrics"),
        origin="rules",
    )


def brief() -> DelegationBrief:
    return DelegationBrief(
        delegation_id="dlg-1",
        contract_version="1",
        task_id=TaskId("tsk-1"),
        attempt=1,
        from_agent=AgentId("lead"),
        to_agent=AgentId("metrics"),
        objective="Find out which service became slow first.",
        why_this_matters="The first one is closest to the cause.",
        non_goals=("naming a remedy",),
        context_summary="shop alerts on errors",
        input_refs=(),
        constraints=("read metrics only",),
        allowed_tools=("metric_shift",),
        forbidden_tools=(),
        scope=Scope(),
        success_criteria=("every claim cites an observation",),
        output_contract=OutputContract(),
        communication_policy=CommunicationPolicy(),
        budget=Budget(),
    )


def probe(name: str = "metric_shift") -> ProbeSpec:
    return ProbeSpec(
        name=name,
        question="Which metrics of a service moved?",
        sources=("metrics",),
        params={
            "type": "object",
            "properties": {"service": {"type": "string"}, "direction": {"enum": ["up", "down"]}},
            "required": ["service"],
        },
        cost="cheap",
    )


def _common(title: str) -> dict[str, Any]:
    return {
        "incident": incident(title),
        "coverage": (SourceCoverage(source="metrics", status="ok", files=1, rows=4000, start=T0, end=T0),),
        "services": ("shop", "store-1", "store-2"),
    }


def action() -> ActionSpec:
    to = ArgumentSpec(description="revision to go back to", required=False)
    return ActionSpec(
        kind="rollback", title="Roll back", effect="reversible_write", risk="medium", arguments={"to": to}
    )


def _report() -> AgentReport:
    return AgentReport(
        report_id="rep-1",
        delegation_id="dlg-1",
        contract_version="1",
        task_id=TaskId("tsk-1"),
        agent_id=AgentId("metrics"),
        attempt=1,
        summary="store-1 became slow first",
        findings=(Finding(claim=claim(), confidence=0.8),),
    )


def _cause() -> RankedCause:
    return RankedCause(
        cause=CauseRef(kind="change", ref="c0ffee", service="store-1"),
        reason="cache_ttl",
        score=0.7,
        confidence=0.6,
        onset=T0,
        claims_for=(ClaimId("clm-000000000001"),),
    )


def _ranking() -> Ranking:
    return Ranking(outcome="cause_found", causes=(_cause(),), first_failing_service="store-1")


_EXTRA: dict[type[Question], Callable[[], dict[str, Any]]] = {
    PlanPrompt: lambda: {"capabilities": (("analyze_logs", "reads logs"),), "mandatory": ("Read the metrics",)},
    TriagePrompt: dict,
    ProbesPrompt: lambda: {"brief": brief(), "observations": (observation(),), "probes": (probe(),), "remaining": 3},
    FindingsPrompt: lambda: {"brief": brief(), "observations": (observation(),), "claims": (claim(),)},
    MechanismPrompt: lambda: {
        "cause": _cause(),
        "anomaly": ("store-1 became slow at 12:20",),
        "source": ("-  ttl: 300", "+  ttl: 0"),
    },
    ReviewPrompt: lambda: {"report": _report(), "claims_text": (("clm-000000000001", "store-1 became slow"),)},
    NarrativePrompt: lambda: {"ranking": _ranking(), "claims": (("clm-000000000001", "store-1 became slow"),)},
    ActionsPrompt: lambda: {
        "ranking": _ranking(),
        "claims": (("clm-000000000001", "store-1 became slow"),),
        "actions": (action(),),
    },
    MessagesPrompt: lambda: {
        "brief": brief(),
        "claims": (("clm-000000000001", "store-1 became slow"),),
        "tasks": (("Read the changes", "goes on"),),
        "capabilities": (("analyze_changes", "reads changes"),),
    },
}
BASELINES: dict[type[Proposal], Proposal] = {
    PlanProposal: PlanProposal(why="", tasks=[]),
    TriageProposal: TriageProposal(risk="medium", why="rules"),
    ProbeProposal: ProbeProposal(probes=[]),
    FindingsProposal: FindingsProposal(claims=[]),
    MechanismProposal: MechanismProposal(verdict="unclear", quotes=[], why=""),
    ReviewProposal: ReviewProposal(objections=[]),
    NarrativeProposal: NarrativeProposal(sentences=[]),
    ActionsProposal: ActionsProposal(actions=[]),
    MessagesProposal: MessagesProposal(clarifications=[], questions=[], subtasks=[]),
}
"""What the rules answer."""
USEFUL: dict[type[Proposal], dict[str, Any]] = {
    PlanProposal: {
        "why": "nobody reads the logs",
        "tasks": [
            {"title": "Logs", "goal": "new errors", "capability": "analyze_logs", "needs": [], "services": ["store-1"]}
        ],
    },
    TriageProposal: {"risk": "high", "why": "users see errors"},
    ProbeProposal: {"probes": [{"probe": "metric_shift", "params_json": '{"service": "store-2"}', "why": "compare"}]},
    FindingsProposal: {
        "claims": [
            {
                "observation": "obs-000000000001",
                "fact": 1,
                "subject": "store-1",
                "relation": "rises",
                "value": 812.5,
                "why": "slow before the alert",
            }
        ]
    },
    MechanismProposal: {"verdict": "yes", "quotes": ["+  ttl: 0"], "why": "every read misses the cache"},
    ReviewProposal: {"objections": [{"claim": "clm-000000000001", "objection": "a symptom"}]},
    NarrativeProposal: {"sentences": [{"text": "store-1 became slow.", "claims": ["clm-000000000001"]}]},
    ActionsProposal: {
        "actions": [
            {
                "kind": "rollback",
                "target": "store-1",
                "arguments_json": "{}",
                "claims": ["clm-000000000001"],
                "why": "the change came first",
            }
        ]
    },
    MessagesProposal: {
        "clarifications": [],
        "questions": [
            {
                "task": "Read the changes",
                "question": "Does a change touch the store?",
                "services": ["store-1"],
                "claims": ["clm-000000000001"],
            }
        ],
        "subtasks": [],
    },
}
"""Well-formed answers that differ from the rules' own."""
_FORMS: dict[type[Question], type[Proposal]] = dict(zip(_EXTRA, BASELINES, strict=True))
FORMS: tuple[type[Proposal], ...] = tuple(BASELINES)


def question(kind: type[Question], title: str = "checkout error budget burning", **changes: Any) -> Question:
    return kind(**{**_common(title), **_EXTRA[kind](), **changes})


def questions() -> list[Question]:
    return [question(kind) for kind in _EXTRA]


def ask(
    form: type[Proposal], ask_id: str = "", title: str = "checkout error budget burning", **changes: Any
) -> Ask[Any]:
    """An ask whose prompt is the form's own."""
    kind = next(kind for kind, fills in _FORMS.items() if fills is form)
    return Ask(
        ask_id=ask_id or f"ask-{form.__name__}",
        node="test",
        form=form,
        prompt=question(kind, title, **changes),
        baseline=BASELINES[form],
        task_id=TaskId("tsk-1"),
        agent=AgentId("metrics"),
    )
