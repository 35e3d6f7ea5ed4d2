"""Conflicts, follow-up questions and a person's word, through whole runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.arbitration import ArbitrationRecord, Candidate, Conflict
from leadline.contracts.claim import Claim
from leadline.contracts.evidence import Answer, ProbeCall
from leadline.contracts.report import Ranking, Remedy
from leadline.contracts.task import Task
from leadline.contracts.team import Requirement
from leadline.contracts.verification import VerificationResult
from leadline.graph.versions import VERSIONS
from leadline.runtime.outcome import PersonAnswer, StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.team import load_team
from tests.doubles.paper import PaperAnalyst, PaperEvidence, shift
from tests.graph.conftest import parts_of

Serve = Callable[..., Any]
BUNDLE = Path("paper")


@pytest.mark.parametrize("name", VERSIONS)
async def test_a_question_that_tells_causes_apart_is_asked_before_concluding(
    serve: Serve, paper: PaperEvidence, name: str
) -> None:
    paper.telling = ("extra",)
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph=name))
        tasks = await service.store.reader(outcome.run.run_id).all(Task)
    (asked,) = [t for t in tasks if t.spec.questions]
    assert asked.state == "merged"
    assert paper.asked.count("extra") == 2  # asked, and asked again to verify
    assert any("cellar" in c.text for c in outcome.report.claims)
    assert outcome.exit_code == 0


async def test_a_question_that_was_asked_is_not_asked_for_ever(serve: Serve, paper: PaperEvidence) -> None:
    paper.telling = ("extra", "metric_shift", "no_such_probe")
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
    assert outcome.exit_code == 0
    assert outcome.report.would_change == ("no_such_probe {}",)


def crossed(paper: PaperEvidence) -> None:
    """A second metrics analyst whose probe says the opposite, weakly."""
    paper.answers["second_look"] = Answer(
        status="ok", facts=(shift("till", relation="falls", value=0.5).model_copy(update={"strength": 0.3}),)
    )
    paper.crew = (*paper.crew, PaperAnalyst("analyze_logs", "second_look", ("metrics",)))


async def test_a_contradiction_is_ruled_on_and_the_loser_kept(serve: Serve, paper: PaperEvidence) -> None:
    crossed(paper)
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
        reader = service.store.reader(outcome.run.run_id)
        (conflict,) = await reader.all(Conflict)
        (record,) = await reader.all(ArbitrationRecord)
        claims = {c.id: c for c in await reader.all(Claim)}
    assert conflict.ruling
    assert {claims[ref].relation for ref in record.upheld} == {"rises"}
    assert {claims[ref].relation for ref in record.lost} == {"falls"}
    assert [c.subject for c in outcome.report.conflicts] == ["till metric:latency"]


async def test_a_ruling_is_asked_again_in_a_changed_world(serve: Serve, paper: PaperEvidence) -> None:
    crossed(paper)
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
        (record,) = await service.store.reader(outcome.run.run_id).all(ArbitrationRecord)
        made, same = await service.arbitrate_again(outcome.run.run_id, record.arbitration_id)
        assert same == made
        paper.answers["metric_shift"] = Answer(status="ok", facts=(shift("door"),))
        made, now = await service.arbitrate_again(outcome.run.run_id, record.arbitration_id)
    assert now.upheld == tuple(made.lost)
    assert "alone holds" in now.reason


class TestRequirements:
    @pytest.fixture
    def remedied(self, paper: PaperEvidence) -> PaperEvidence:
        plain = paper.rank

        def rank(claims: Any) -> Ranking:
            return plain(claims).model_copy(
                update={
                    "remediation": (Remedy(action="rollback", target="till"), Remedy(action="scale", target="till"))
                }
            )

        paper.rank = rank  # type: ignore[method-assign]
        return paper

    def parts(self, paper: PaperEvidence, owner: str) -> Any:
        freeze = Requirement(id="freeze", statement="no rollback during the freeze", forbids=("rollback",), owner=owner)
        return parts_of(paper, team=load_team().model_copy(update={"requirements": (freeze,)}))

    async def test_a_policy_takes_the_remedy_out(self, settings: Any, remedied: PaperEvidence) -> None:
        async with open_service(settings, self.parts(remedied, "")) as service:
            outcome = await service.start(StartRequest(bundle=BUNDLE))
        assert [r.action for r in outcome.report.remediation] == ["scale"]
        assert outcome.report.conflicts[0].ruling.startswith("no rollback during the freeze")

    @pytest.mark.parametrize(
        ("answer", "left"), [("approved", ["rollback", "scale"]), ("rejected", ["scale"])], ids=["set aside", "kept"]
    )
    async def test_its_owner_is_asked_and_sees_both_sides(
        self, settings: Any, remedied: PaperEvidence, answer: Any, left: list[str]
    ) -> None:
        async with open_service(settings, self.parts(remedied, "ada")) as service:
            first = await service.start(StartRequest(bundle=BUNDLE))
            assert (first.exit_code, first.waiting.point) == (5, "decision")
            sides = first.waiting.content["conflicts"][0]["sides"]
            assert [s["says"] for s in sides] == ["rollback till", "no rollback during the freeze"]
            done = await service.resume(first.run.run_id, PersonAnswer(None, answer, "my call"))
        assert [r.action for r in done.report.remediation] == left
        assert done.exit_code == 0


async def test_a_revised_report_takes_the_place_of_the_refused_one(serve: Serve, paper: PaperEvidence) -> None:
    """The model's claim fails once when its probe is asked again; the revision does not repeat it."""
    from leadline.contracts.proposal import FindingsProposal, ProposedClaim

    paper.answers["metric_shift"] = Answer(status="ok", facts=(shift("till"), shift("door", at=1, value=4.0)))
    first = paper.answers["extra"]
    seen: list[str] = []

    async def ask(call: ProbeCall) -> Answer:
        paper.asked.append(call.probe)
        seen.append(call.probe)
        if call.probe == "extra" and seen.count("extra") == 2:
            return Answer(status="ok", facts=())
        return paper.answers[call.probe]

    paper.ask = ask  # type: ignore[method-assign]

    def script(given: Any) -> Any:
        from leadline.contracts.proposal import ProbeProposal, ProposedProbe

        if given.form is ProbeProposal and any(o.call.probe == "metric_shift" for o in given.prompt.observations):
            return ProbeProposal(probes=[ProposedProbe(probe="extra", params_json="{}", why="more")])
        if given.form is FindingsProposal:
            extra = [o for o in given.prompt.observations if o.call.probe == "extra"]
            return FindingsProposal(
                claims=[
                    ProposedClaim(observation=o.id, fact=1, subject="cellar", relation="rises", value=None, why="so")
                    for o in extra
                ]
            )
        return given.baseline

    assert first.facts
    async with serve(script) as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE))
        reader = service.store.reader(outcome.run.run_id)
        candidates = await reader.all(Candidate)
        results = await reader.all(VerificationResult)
    assert "revise" in {r.decision for r in results if r.attempt == 1}
    refused = next(c for c in candidates if c.state == "rejected")
    taken = next(c for c in candidates if c.supersedes == refused.candidate_id)
    assert refused.superseded_by == taken.candidate_id
    assert refused.reason
    assert outcome.exit_code == 0
