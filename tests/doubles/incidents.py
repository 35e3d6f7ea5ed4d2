"""Small invented incidents as bundles, for tests of the whole way from telemetry to ranking."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from leadline.contracts.base import AgentId, TaskId
from leadline.contracts.claim import Claim
from leadline.contracts.delegation import CaseView
from leadline.contracts.evidence import Observation
from leadline.contracts.report import Ranking
from leadline.evidence.analysts import all_analysts
from leadline.evidence.opened import open_bundle
from leadline.evidence.ranking import rank

START = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)
MINUTES = 120
COMMON = (
    ("docs: explain retry budget", ["docs/retries.md"], "@@ docs/retries.md @@\n-Old text.\n+New text."),
    ("style: banner spacing", ["web/banner.css"], "@@ web/banner.css @@\n-.b { margin: 2px; }\n+.b { margin: 4px; }"),
    ("chore: bump logging library", ["go.mod", "go.sum"], "@@ go.mod @@\n-\tgithub.com/acme/slogx v1.4.1\n+\tgithub.com/acme/slogx v1.4.2"),
    ("test: cover parser", ["pkg/parse/parse_test.go"], "@@ pkg/parse/parse_test.go @@\n+func TestX(t *testing.T) {}"),
    ("feat: request id in access log", ["pkg/mw/log.go"], '@@ pkg/mw/log.go @@\n+\tlogger = logger.With("request_id", rid)'),
    ("fix: guard empty page", ["pkg/page/page.go"], "@@ pkg/page/page.go @@\n+\tif len(items) == 0 { return nil }"),
    ("fix: rounding of totals", ["services/billing/total.go"], "@@ services/billing/total.go @@\n-\treturn math.Round(x * r)\n+\treturn math.Round(x*r*100) / 100"),
)  # fmt: skip


@dataclass
class Story:
    """Minutes count from the start of the data; the trouble begins at `onset`, the alert fires at `alert`."""

    alert_service: str
    alert_metric: str
    summary: str
    onset: int = 90
    alert: int = 96
    series: list[tuple[str, str, float, float]] = field(default_factory=list)
    """Service, metric, value before, value after; a step at the onset."""
    ramps: list[tuple[str, str, float, float, int]] = field(default_factory=list)
    """The same, as a straight line from the given minute to the end."""
    lines: list[tuple[str, str, str, int]] = field(default_factory=list)
    """Service, severity, text, times a minute after the onset."""
    usual: list[tuple[str, str]] = field(default_factory=list)
    """Service and text of a line that is logged all the time."""
    spans: list[tuple[str, str, bool]] = field(default_factory=list)
    """Caller, callee, and whether the call fails after the onset."""
    commits: list[tuple[str, int, str, list[str], str]] = field(default_factory=list)
    """Id, minute, message, files, diff."""
    deploys: list[tuple[int, str, str]] = field(default_factory=list)
    """Minute, service, id of the commit."""
    status: str = ""

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True)
        chance = random.Random(7)
        (folder / "incident.yaml").write_text(json.dumps(self._incident()))
        self._metrics(folder, chance)
        self._logs(folder, chance)
        self._traces(folder)
        self._changes(folder)
        if self.status:
            (folder / "documents").mkdir()
            (folder / "documents" / "status_feed.txt").write_text(self.status)
        return folder

    def _incident(self) -> dict[str, object]:
        return {
            "schema": 1, "id": "inc-1", "title": f"{self.alert_metric} of {self.alert_service}",
            "alerts": [{"service": self.alert_service, "metric": self.alert_metric, "fired_at": _at(self.alert), "summary": self.summary}],
            "answer_space": {"kinds": ["change", "none"]},
        }  # fmt: skip

    def _metrics(self, folder: Path, chance: random.Random) -> None:
        rows = ["ts,service,metric,value"]
        for minute in range(MINUTES):
            for service, metric, before, after in self.series:
                level = after if minute >= self.onset else before
                rows.append(f"{_at(minute)},{service},{metric},{level * chance.uniform(0.96, 1.04):.5f}")
            for service, metric, before, after, begin in self.ramps:
                part = max(0.0, (minute - begin) / (MINUTES - begin))
                rows.append(
                    f"{_at(minute)},{service},{metric},{(before + (after - before) * part) * chance.uniform(0.97, 1.03):.5f}"
                )
        (folder / "metrics.csv").write_text("\n".join(rows) + "\n")

    def _logs(self, folder: Path, chance: random.Random) -> None:
        rows = []
        for minute in range(MINUTES):
            for service, text in self.usual:
                rows.append({"ts": _at(minute, 3), "service": service, "severity": "INFO", "body": text})
            if minute >= self.onset:
                for service, severity, text, times in self.lines:
                    rows += [
                        {
                            "ts": _at(minute, chance.uniform(0, 59)),
                            "service": service,
                            "severity": severity,
                            "body": text,
                        }
                        for _ in range(times)
                    ]
        (folder / "logs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def _traces(self, folder: Path) -> None:
        rows = []
        for minute in range(0, MINUTES, 2):
            for number, (caller, callee, fails) in enumerate(self.spans):
                bad = fails and minute >= self.onset
                trace = f"t{minute}-{number}"
                for span, parent, service in (("a", None, caller), ("b", "a", callee)):
                    rows.append({"trace_id": trace, "span_id": span, "parent_id": parent, "service": service, "name": f"{service}.work",
                                 "start": _at(minute), "duration_ms": 20.0, "status": "ERROR" if bad else "OK"})  # fmt: skip
        if rows:
            (folder / "traces.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def _changes(self, folder: Path) -> None:
        common = [(f"{number:040x}", 5 + 7 * number, *rest) for number, rest in enumerate(COMMON, start=0xC0FFEE0)]
        commits = [*common_at(common), *self.commits]
        rows = [
            {
                "ts": _at(minute),
                "kind": "commit",
                "service": "",
                "ref": ref,
                "title": title,
                "diff": diff,
                "files_changed": files,
            }
            for ref, minute, title, files, diff in commits
        ]
        rows += [
            {
                "ts": _at(minute),
                "kind": "deploy",
                "service": service,
                "ref": f"{service}@{minute}",
                "title": "deploy",
                "commit": ref,
            }
            for minute, service, ref in self.deploys
        ]
        (folder / "changes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def common_at(common: list[tuple[str, int, str, list[str], str]]) -> list[tuple[str, int, str, list[str], str]]:
    return [(ref, 5 + 9 * at, title, files, diff) for at, (ref, _, title, files, diff) in enumerate(common)]


def _at(minute: int, second: float = 0.0) -> str:
    return (START + timedelta(minutes=minute, seconds=second)).isoformat().replace("+00:00", "Z")


async def investigated(folder: Path) -> tuple[Ranking, tuple[Claim, ...]]:
    """Every analyst's questions until none has more, then the ranking of all their claims."""
    bundle = open_bundle(folder)
    claims: list[Claim] = []
    try:
        for analyst in all_analysts({spec.name for spec in bundle.probes()}):
            view = CaseView(task_id=TaskId("t"), upstream=tuple(claims))
            observed: list[Observation] = []
            while questions := analyst.next_questions(view, observed):
                for call in questions:
                    answer = await bundle.ask(call)
                    observed.append(
                        Observation(
                            id=Observation.id_for(call, bundle.bundle_digest), call=call, probe_version=1,
                            bundle_digest=bundle.bundle_digest, answer=answer, answer_digest=answer.digest,
                            asked_by=AgentId("a"), task_id=TaskId("t"), asked_for="rules",
                        )
                    )  # fmt: skip
            claims += [finding.claim for finding in analyst.findings(view, observed, AgentId(analyst.capability))]
        return rank(claims, bundle.incident), tuple(claims)
    finally:
        bundle.close()
