"""How often the rules name the commit, or none, on RootCauseBench: `python benchmarks/rootcausebench.py DIR [-v]`.

Straight through the evidence: every analyst's questions, their claims, one ranking. Beside it stand the answers that
need no thought: always none, the longest diff, the latest deploy before the alert.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from leadline.contracts.base import AgentId, TaskId
from leadline.contracts.claim import Claim
from leadline.contracts.delegation import CaseView
from leadline.contracts.evidence import Observation
from leadline.contracts.incident import Incident
from leadline.contracts.report import Ranking
from leadline.evals.expected import Expected, read_expected
from leadline.evals.formats.rootcausebench import import_all
from leadline.evidence.analysts import all_analysts
from leadline.evidence.opened import OpenedBundle, open_bundle
from leadline.evidence.ranking import rank


class Row(NamedTuple):
    fault: str
    answer: str
    truth: str
    sure: float
    reason: str
    first: bool
    overlap: float
    remedy: bool
    longest: bool
    latest: bool
    seconds: float


async def investigate(bundle: OpenedBundle) -> tuple[Ranking, list[Claim]]:
    """All analysts in the order of what they build on; each asks until it has nothing new to ask."""
    claims: list[Claim] = []
    for analyst in all_analysts({spec.name for spec in bundle.probes()}):
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


async def measured(case: Path, *, verbose: bool) -> Row:
    expected = read_expected(case / "expected.yaml")
    started = time.monotonic()
    bundle = open_bundle(case / "bundle")
    try:
        ranking, claims = await investigate(bundle)
        incident = bundle.incident
    finally:
        bundle.close()
    seconds = time.monotonic() - started
    if verbose:
        show(ranking, claims, expected)
    top, truth = next(iter(ranking.causes), None), expected.causes[0].ref
    return Row(
        fault=expected.tags["fault"], answer=top.cause.ref if top else "none", truth=truth,
        sure=top.confidence if top else 0.0, reason=top.reason if top else "",
        first=ranking.first_failing_service == expected.first_failing_service,
        overlap=jaccard(set(ranking.affected_services), set(expected.affected_services)),
        remedy=bool(ranking.remediation) and ranking.remediation[0].action == expected.remediation,
        longest=longest_diff(case) == truth, latest=latest_deploy(case, incident) == truth, seconds=seconds,
    )  # fmt: skip


def longest_diff(case: Path) -> str:
    return str(max((row for row in changes(case) if row["kind"] == "commit"), key=lambda row: len(row["diff"]))["ref"])


def latest_deploy(case: Path, incident: Incident) -> str:
    alert = incident.first_alert
    until = alert.fired_at.isoformat().replace("+00:00", "Z") if alert and alert.fired_at else "9"
    deploys = [row for row in changes(case) if row["kind"] == "deploy" and row["ts"] <= until]
    return str(max(deploys, key=lambda row: row["ts"])["commit"]) if deploys else "none"


def changes(case: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (case / "bundle" / "changes.jsonl").read_text().splitlines()]


def jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def show(ranking: Ranking, claims: list[Claim], expected: Expected) -> None:
    print(f"\n## {expected.tags['fault']}: {[c.ref for c in expected.causes]}, affected {expected.affected_services}")
    for cause in ranking.causes[:5]:
        named = f"{cause.cause.kind} {cause.cause.ref[:10]} {cause.cause.service} {cause.reason}"
        print(f"   {cause.score:.3f} {named}: {cause.note}")
    for claim in claims:
        when = f"{claim.at:%H:%M:%S}" if claim.at else ""
        what = f"{claim.signal} {claim.relation} {claim.object[:80]} {claim.baseline} -> {claim.value}"
        print(f"      {claim.strength:.2f} {when} {claim.subject.ref[:24]} {what}")


async def main(shared: Path, *, verbose: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [await measured(case, verbose=verbose) for case in import_all(shared, Path(folder))]
    for row in rows:
        right = "right" if row.answer == row.truth else "WRONG"
        print(
            f"{right} {row.fault[:36]:36} {row.answer[:8]:8} {row.sure:.2f} {row.reason:22} overlap {row.overlap:.2f}"
        )
    n = len(rows)
    none, longest, latest = (
        sum(r.truth == "none" for r in rows),
        sum(r.longest for r in rows),
        sum(r.latest for r in rows),
    )
    print(f"\ncommit or none  {sum(r.answer == r.truth for r in rows)}/{n}")
    print(f"  without thought: always none {none}/{n}, longest diff {longest}/{n}, latest deploy {latest}/{n}")
    print(f"first failing   {sum(r.first for r in rows)}/{n}")
    print(f"blast radius    {sum(r.overlap for r in rows) / n:.2f} mean Jaccard")
    print(f"remediation     {sum(r.remedy for r in rows)}/{n}")
    print(f"wrong at >= .8  {sum(r.answer != r.truth and r.sure >= 0.8 for r in rows)}/{n}")
    print(f"seconds a case  {sum(r.seconds for r in rows) / n:.2f}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), verbose="-v" in sys.argv))
