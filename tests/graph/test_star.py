"""star@1 from start to report, on paper evidence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.approval import ApprovalRequest
from leadline.contracts.errors import ApprovalRefused, UsageError
from leadline.contracts.evidence import Answer
from leadline.contracts.proposal import (
    FindingsProposal,
    MechanismProposal,
    NarrativeProposal,
    PlanProposal,
    ProbeProposal,
    ProposedClaim,
    ProposedProbe,
    ProposedSentence,
    ProposedTask,
)  # fmt: skip
from leadline.contracts.report import IncidentReport
from leadline.contracts.task import Task
from leadline.runtime.outcome import PersonAnswer, StartRequest
from tests.doubles.paper import PaperEvidence

Serve = Callable[..., Any]
BUNDLE = Path("paper")


async def test_rules_alone_find_the_cause(serve: Serve) -> None:
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
        report = outcome.report
        assert (outcome.exit_code, outcome.run.state) == (0, "concluded")
        assert report.status == "concluded"
        assert [c.ref for c in report.causes] == ["c1", "c2"]
        assert report.first_failing_service == "till"
        assert report.without_model.causes[0].ref == "c1"
        assert all(c.verified and c.observations for c in report.claims)
        tasks = await service.store.reader(outcome.run.run_id).all(Task)
        assert [t.state for t in tasks] == ["merged", "merged"]


async def test_dependencies_are_respected(serve: Serve, paper: PaperEvidence) -> None:
    async with serve() as service:
        await service.start(StartRequest(bundle=BUNDLE))
    assert paper.asked.index("metric_shift") < paper.asked.index("change_diff")


async def test_every_claim_is_asked_again(serve: Serve, paper: PaperEvidence) -> None:
    async with serve() as service:
        await service.start(StartRequest(bundle=BUNDLE))
    assert paper.asked == ["metric_shift", "metric_shift", "change_diff", "change_diff"]


async def test_a_probe_that_answers_otherwise_supports_nothing(serve: Serve, paper: PaperEvidence) -> None:
    first = paper.answers["change_diff"]

    async def changing(call: Any) -> Answer:
        paper.asked.append(call.probe)
        if call.probe == "change_diff" and paper.asked.count("change_diff") > 1:
            return Answer(status="ok", rows_read=2)
        return paper.answers[call.probe]

    paper.ask = changing  # type: ignore[method-assign]
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
    assert first.facts
    assert outcome.report.outcome == "inconclusive"
    assert outcome.exit_code == 3


GOOD = {
    PlanProposal: PlanProposal(
        why="look closer",
        tasks=[ProposedTask(title="Door metrics", goal="see the door", capability="analyze_metrics", needs=[], services=["door"])],
    ),
    ProbeProposal: ProbeProposal(probes=[ProposedProbe(probe="extra", params_json="{}", why="more")]),
    MechanismProposal: MechanismProposal(verdict="yes", quotes=["-retries: 3 +retries: 2"], why="fewer retries"),
}  # fmt: skip


async def test_a_model_adds_tasks_and_questions(serve: Serve) -> None:
    async with serve(GOOD) as service:
        report = (await service.start(StartRequest(bundle=BUNDLE))).report
    assert report.model.tasks_added == 1
    assert report.model.probes_added >= 1
    assert any("cellar" in c.text and c.origin == "model" for c in report.claims)


async def test_a_judgement_with_a_quote_of_its_source_orders_within_the_margin(serve: Serve) -> None:
    async with serve(GOOD) as service:
        report = (await service.start(StartRequest(bundle=BUNDLE))).report
    assert [c.ref for c in report.causes] == ["c2", "c1"]
    assert report.without_model.causes[0].ref == "c1"
    assert report.model.order_changed
    assert any(d.subject == "first cause" for d in report.decisions)


async def test_a_judgement_with_an_invented_quote_changes_nothing(serve: Serve) -> None:
    lie = MechanismProposal(verdict="yes", quotes=["rm -rf everything, surely"], why="trust me")
    async with serve({MechanismProposal: lie}) as service:
        report = (await service.start(StartRequest(bundle=BUNDLE))).report
    assert [c.ref for c in report.causes] == ["c1", "c2"]


async def test_lies_about_facts_are_refused_and_counted(serve: Serve) -> None:
    def script(ask: Any) -> Any:
        if ask.form is not FindingsProposal:
            return ask.baseline
        seen = ask.prompt.observations
        return FindingsProposal(
            claims=[
                ProposedClaim(observation=o.id, fact=1, subject=s, relation=r, value=None, why="so it is")
                for o in seen
                for s, r in ((o.answer.facts[0].subject.ref, "falls"), ("cellar", o.answer.facts[0].relation))
            ]
        )

    async with serve(script) as service:
        report = (await service.start(StartRequest(bundle=BUNDLE))).report
    assert [c.ref for c in report.causes] == ["c1", "c2"]
    assert report.model.claims_refused == 4
    assert report.model.claims_added == 0


@pytest.mark.parametrize("garbage", ["", "no JSON", "{}", '{"approved": true}', "[[[[", "null"])
async def test_garbage_ends_in_the_verdict_of_no_model(serve: Serve, garbage: str) -> None:
    forms = (PlanProposal, ProbeProposal, FindingsProposal, MechanismProposal, NarrativeProposal)
    async with serve(dict.fromkeys(forms, garbage)) as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
    report = outcome.report
    assert [c.ref for c in report.causes] == [c.ref for c in report.without_model.causes] == ["c1", "c2"]
    assert report.degraded


async def test_a_sentence_that_cites_nothing_is_dropped(serve: Serve) -> None:
    made_up = NarrativeProposal(sentences=[ProposedSentence(text="Aliens did it.", claims=["clm-none"])])
    async with serve({NarrativeProposal: made_up}) as service:
        report = (await service.start(StartRequest(bundle=BUNDLE))).report
    assert report.summary
    assert "Aliens" not in " ".join(s.text for s in report.summary)


class TestInterrupts:
    async def test_plan_is_asked_and_approved(self, serve: Serve) -> None:
        async with serve() as service:
            waiting = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"plan"})))
            assert (waiting.exit_code, waiting.run.state) == (5, "waiting")
            assert waiting.waiting.content["tasks"][0]["title"].startswith("Metrics")
            done = await service.resume(waiting.run.run_id, PersonAnswer(None, "approved"))
            events = await service.store.reader(waiting.run.run_id).events()
        assert (done.exit_code, done.run.state) == (0, "concluded")
        assert [e.kind for e in events].count("run.resumed") == 1

    async def test_resume_without_an_answer_keeps_waiting(self, serve: Serve) -> None:
        async with serve() as service:
            first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"plan"})))
            again = await service.resume(first.run.run_id)
        assert again.exit_code == 5
        assert again.waiting == first.waiting

    async def test_a_rejected_plan_ends_the_run(self, serve: Serve, paper: PaperEvidence) -> None:
        async with serve() as service:
            first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"plan"})))
            done = await service.resume(first.run.run_id, PersonAnswer(None, "rejected", "not now"))
        assert (done.exit_code, done.run.state) == (1, "cancelled")
        assert "not now" in done.run.reason
        assert paper.asked == []

    async def test_an_edited_plan_is_what_runs(self, serve: Serve, paper: PaperEvidence) -> None:
        edit = {"drop": ["Changes: what could have produced it"]}
        async with serve() as service:
            first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"plan"})))
            await service.resume(first.run.run_id, PersonAnswer(None, "edited", "only metrics", edit))
        assert set(paper.asked) == {"metric_shift"}

    async def test_second_unknown_and_empty_answers_are_refused(self, serve: Serve) -> None:
        async with serve() as service:
            first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"plan", "report"})))
            run = first.run.run_id
            with pytest.raises(ApprovalRefused, match="never asked"):
                await service.resume(run, PersonAnswer("apr-0", "approved"))
            with pytest.raises(ApprovalRefused, match="needs a reason"):
                await service.resume(run, PersonAnswer(None, "rejected", " "))
            with pytest.raises(ApprovalRefused, match="is empty"):
                await service.resume(run, PersonAnswer(None, "edited", "", {}))
            second = await service.resume(run, PersonAnswer(first.waiting.approval_id, "approved"))
            assert second.waiting.point == "report"
            with pytest.raises(ApprovalRefused, match="not open any more"):
                await service.resume(run, PersonAnswer(first.waiting.approval_id, "approved"))
            done = await service.resume(run, PersonAnswer(None, "approved"))
            assert done.exit_code == 0
            with pytest.raises(ApprovalRefused, match="not open any more"):
                await service.resume(run, PersonAnswer(second.waiting.approval_id, "approved"))

    async def test_a_rejected_report_is_kept_as_rejected(self, serve: Serve) -> None:
        async with serve() as service:
            first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"report"})))
            done = await service.resume(first.run.run_id, PersonAnswer(None, "rejected", "wrong service"))
        assert (done.exit_code, done.report.status) == (3, "rejected")
        assert any("wrong service" in d.reason for d in done.report.decisions)

    async def test_an_edited_report_keeps_only_sentences_with_claims(self, serve: Serve) -> None:
        async with serve() as service:
            first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"report"})))
            claim = first.report.claims[0].id
            edit = {"summary": [{"text": "Till waits.", "claims": [claim]}, {"text": "Nobody knows.", "claims": []}]}
            done = await service.resume(first.run.run_id, PersonAnswer(None, "edited", "shorter", edit))
        assert [s.text for s in done.report.summary] == ["Till waits."]


async def test_one_agent_alone_comes_to_the_same_verdict_with_one_task(serve: Serve) -> None:
    async with serve() as service:
        alone = await service.start(StartRequest(bundle=BUNDLE, graph="single@1"))
        team = await service.start(StartRequest(bundle=BUNDLE, graph="star@1"))
        tasks = await service.store.reader(alone.run.run_id).all(Task)
    assert [c.ref for c in alone.report.causes] == [c.ref for c in team.report.causes]
    assert [(t.spec.assignment.owner, t.state) for t in tasks] == [("generalist", "merged")]


async def test_an_unknown_graph_version_says_which_there_are(serve: Serve) -> None:
    async with serve() as service:
        with pytest.raises(UsageError, match=r"star@1"):
            await service.start(StartRequest(bundle=BUNDLE, graph="ring@9"))


async def test_requests_are_stored_with_their_run(serve: Serve) -> None:
    async with serve() as service:
        first = await service.start(StartRequest(bundle=BUNDLE, ask=frozenset({"plan"})))
        reader = service.store.reader(first.run.run_id)
        assert [r.approval_id for r in await reader.all(ApprovalRequest)] == [first.waiting.approval_id]
        assert await reader.get(IncidentReport, "report") is None
