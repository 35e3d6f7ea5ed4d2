"""How often the rules name the commit, or none, on RootCauseBench: `python benchmarks/rootcausebench.py SHARED_DIR`.

Straight through the evidence: every analyst's questions, their claims, one ranking. Beside it stand the answers that
need no thought: always none, the longest diff, the latest deploy before the alert.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from ruamel.yaml import YAML

from leadline.contracts.base import AgentId, TaskId
from leadline.contracts.claim import Claim
from leadline.contracts.delegation import CaseView
from leadline.contracts.evidence import Observation
from leadline.contracts.report import Ranking
from leadline.evals.formats.rootcausebench import import_all
from leadline.evidence.analysts import all_analysts
from leadline.evidence.opened import OpenedBundle, open_bundle
from leadline.evidence.ranking import rank


async def investigate(bundle: OpenedBundle) -> tuple[Ranking, list[Claim]]:
    """All analysts in the order of what they build on; each asks until it has nothing new to ask."""
    claims: list[Claim] = []
    names = {spec.name for spec in bundle.probes()}
    for analyst in all_analysts(names):
        view = CaseView(task_id=TaskId(f"task-{analyst.capability}"), upstream=tuple(claims))
        observed: list[Observation] = []
        while questions := analyst.next_questions(view, observed):
            for call in questions:
                answer = await bundle.ask(call)
                observed.append(
                    Observation(
                        id=Observation.id_for(call, bundle.bundle_digest), call=call, probe_version=1,
                        bundle_digest=bundle.bundle_digest, answer=answer, answer_digest=answer.digest,
                        asked_by=AgentId("bench"), task_id=view.task_id, asked_for="rules",
                    )
                )  # fmt: skip
        claims += [finding.claim for finding in analyst.findings(view, observed, AgentId(analyst.capability))]
    return rank(claims, bundle.incident), claims


def longest_diff(case: Path) -> str:
    commits = [row for row in changes(case) if row["kind"] == "commit"]
    return max(commits, key=lambda row: len(row["diff"]))["ref"]


def latest_deploy(case: Path) -> str:
    alert = YAML(typ="safe").load(case / "bundle" / "incident.yaml")["alerts"][0]["fired_at"]
    deploys = [row for row in changes(case) if row["kind"] == "deploy" and row["ts"] <= str(alert)]
    return max(deploys, key=lambda row: row["ts"])["commit"] if deploys else "none"


def changes(case: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (case / "bundle" / "changes.jsonl").read_text().splitlines()]


def jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


async def main(shared: Path, verbose: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cases = import_all(shared, Path(folder))
        right = first = remedy = longest = none = latest = wrong_sure = 0
        overlap = spent = 0.0
        for case in cases:
            expected = YAML(typ="safe").load(case / "expected.yaml")
            truth = expected["causes"][0]["ref"]
            started = time.monotonic()
            bundle = open_bundle(case / "bundle")
            try:
                ranking, claims = await investigate(bundle)
            finally:
                bundle.close()
            spent += time.monotonic() - started
            answer = ranking.causes[0].cause.ref if ranking.causes else "none"
            right += answer == truth
            first += ranking.first_failing_service == expected["first_failing_service"]
            action = ranking.remediation[0].action if ranking.remediation else ""
            remedy += action == expected["remediation"]
            share = jaccard(set(ranking.affected_services), set(expected["affected_services"]))
            overlap += share
            longest += longest_diff(case) == truth
            latest += latest_deploy(case) == truth
            none += truth == "none"
            wrong_sure += answer != truth and bool(ranking.causes) and ranking.causes[0].confidence >= 0.8
            print(
                f"{'ok ' if answer == truth else 'NO '} {expected['tags']['fault'][:34]:34} {answer[:8]:8} "
                f"score {ranking.causes[0].score if ranking.causes else 0:.2f} confidence "
                f"{ranking.causes[0].confidence if ranking.causes else 0:.2f} {ranking.causes[0].reason if ranking.causes else '':22} "
                f"first {'ok' if ranking.first_failing_service == expected['first_failing_service'] else ranking.first_failing_service:8} "
                f"jaccard {share:.2f} {action}/{expected['remediation']}"
            )
            if verbose:
                show(ranking, claims, expected)
        n = len(cases)
        print(
            f"\ncommit or none  {right}/{n}   (always none {none}/{n}, longest diff {longest}/{n}, latest deploy {latest}/{n})"
        )
        print(
            f"first failing   {first}/{n}\nblast radius    {overlap / n:.2f} mean Jaccard\nremediation     {remedy}/{n}"
        )
        print(f"confident wrong {wrong_sure}/{n}\nseconds a case  {spent / n:.2f}")


def show(ranking: Ranking, claims: list[Claim], expected: dict[str, object]) -> None:
    for cause in ranking.causes[:5]:
        print(
            f"      {cause.cause.kind} {cause.cause.ref[:10]} {cause.cause.service} {cause.reason} {cause.score} {cause.note}"
        )
    print(f"      affected {ranking.affected_services} expected {expected['affected_services']}")
    for claim in claims:
        if not claim.signal.startswith("change"):
            print(
                f"        {claim.subject.ref} {claim.signal} {claim.relation} {claim.object[:90]} {claim.baseline}->{claim.value} {claim.at:%H:%M:%S} {claim.strength}"
                if claim.at
                else f"        {claim.subject.ref} {claim.signal} {claim.relation} {claim.object[:90]} {claim.strength}"
            )


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), "-v" in sys.argv))
