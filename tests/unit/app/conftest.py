"""Invented reports: a rich one, an empty one, and one that holds what a hostile system would write into its telemetry."""

import json
import math
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from leadline.contracts.evidence import SourceCoverage
from leadline.contracts.incident import CauseRef
from leadline.contracts.report import (
    ChainLink,
    ChartSeries,
    CheckedClaim,
    ConflictNote,
    DecisionNote,
    IncidentReport,
    ModelContribution,
    Remedy,
    ReportedCause,
    RuledOut,
    Sentence,
    ShortVerdict,
    TimelineEntry,
    Usage,
)

ONSET = datetime(2026, 7, 11, 13, 41, 20, tzinfo=UTC)
ALERT = datetime(2026, 7, 11, 13, 46, 0, tzinfo=UTC)
HOSTILE_STRINGS = (
    '<script>document.title="x"</script>',
    "</script><script>alert(1)</script>",
    '"><svg/onload=alert(1)>',
    "</textarea></title></style><script>1</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='http://evil.invalid'>open</a> http://evil.invalid www.evil.invalid <http://evil.invalid>",
    "[runbook](javascript:alert(1)) ![](http://leak.invalid/p?d=1) [r]: http://leak.invalid",
    "{{ report.__class__ }} {% raw %} {{constructor.constructor('alert(1)')()}}",
    "<!-- x --> <meta http-equiv=refresh content='0;url=http://evil.invalid'><iframe srcdoc='<b>1</b>'></iframe>",
    "\x1b[2J\x1b[31mApproved\x1b[0m \x9b31m \x07\x08\r\x00",
    "pay\u200bments \u202erollback\u202c \U000e0061 \u2028next \ufeff",
    "| a | b |\n|---|---|\n# heading\n- item\n> quote `code` ``` *bold* _it_",
    "[/] [bold red]markup[/bold]",
)


def points(level, peak, minutes=90, step=30):
    start = ONSET - timedelta(minutes=60)
    result = []
    for i in range(minutes * 60 // step):
        at = start + timedelta(seconds=i * step)
        ramp = 1 / (1 + math.exp(-(at - ONSET).total_seconds() / 60 + 2))
        result.append((at, round(level + (peak - level) * ramp + level * 0.06 * math.sin(i * 1.7), 3)))
    return tuple(result)


def claim(n, text, *, verified=True, origin="rules", at=ONSET, service="catalogservice", observations=1):
    return CheckedClaim(
        id=f"clm-{n:012x}",
        text=text,
        observations=tuple(f"obs-{n:06x}{o:06x}" for o in range(observations)),
        verified=verified,
        origin=origin,
        at=at,
        service=service,
    )


def cid(*numbers):
    return tuple(f"clm-{n:012x}" for n in numbers)


@pytest.fixture
def rich():
    change = "c62e9decf1a04b7f"
    causes = (
        ReportedCause(
            rank=1, kind="change", ref=change, service="catalogservice", reason="cache_ttl", onset=ONSET, confidence=0.81,
            claims=cid(1, 2, 3), note="Its diff sets the key that the first anomaly is about.",
        ),
        ReportedCause(
            rank=2, kind="service", ref="productdb", service="productdb", reason="saturation", onset=ONSET + timedelta(seconds=40),
            confidence=0.34, claims=cid(4), note="It saturates after its caller's requests rise.",
        ),
        ReportedCause(
            rank=3, kind="infrastructure", ref="node-7", service="", reason="", onset=None, confidence=0.08, claims=(),
        ),
    )  # fmt: skip
    return IncidentReport(
        schema=1,
        run="run-20260711-134900-4f2a",
        incident="inc-2041",
        title="checkout error budget burning",
        graph="star@1",
        proposer="ollama:qwen3:8b",
        bundle="9f" * 32,
        status="concluded",
        outcome="cause_found",
        headline="Change c62e9dec in catalogservice cut the cache lifetime to 1 s, and productdb was overrun.",
        causes=causes,
        first_failing_service="productdb",
        affected_services=("productdb", "catalogservice", "checkoutservice", "frontend"),
        chain=(
            ChainLink(source="change c62e9dec", target="catalogservice", how="sets cache.ttl_seconds from 300 to 1", claims=cid(1)),
            ChainLink(source="catalogservice", target="productdb", how="calls it 14 times as often as before", claims=cid(2, 3)),
            ChainLink(source="productdb", target="checkoutservice", how="answers after 2.4 s instead of 38 ms; callers wait", claims=cid(4)),
            ChainLink(source="checkoutservice", target="alert: error rate over 5 %", how="times out", claims=cid(5)),
        ),
        summary=(
            Sentence(text="A deploy of catalogservice at 13:40 shortened the cache lifetime.", claims=cid(1)),
            Sentence(text="Reads of productdb rose fourteenfold within two minutes.", claims=cid(2, 3)),
            Sentence(text="Checkout then timed out on it.", claims=cid(5)),
        ),
        remediation=(
            Remedy(action="rollback", target="catalogservice to the version before c62e9dec", why=cid(1, 2)),
            Remedy(action="raise_limit", target="productdb connections, only if the rollback is delayed", why=cid(4)),
        ),
        claims=(
            claim(1, "change c62e9dec sets cache.ttl_seconds to 1 (before: 300) in catalogservice", at=ONSET - timedelta(seconds=80)),
            claim(2, "catalogservice calls productdb more: 1,410 requests/s (normal: 98)", observations=2),
            claim(3, "cache hit ratio of catalogservice falls to 0.04 (normal: 0.97)", origin="model"),
            claim(4, "productdb slows: 2,400 ms (normal: 38 ms)", service="productdb", at=ONSET + timedelta(seconds=40)),
            claim(5, "checkoutservice logs 'context deadline exceeded', first seen", service="checkoutservice", at=ALERT),
            claim(6, "frontend memory is unchanged", verified=False, at=None, service="frontend"),
        ),
        ruled_out=(
            RuledOut(cause=CauseRef(kind="change", ref="9ecb8232", service="frontend"), why="it came 22 min after the onset", claims=cid(6)),
            RuledOut(cause=CauseRef(kind="external", ref="payments.example"), why="its calls kept their normal duration"),
        ),
        coverage=(
            SourceCoverage(source="metrics", status="ok", files=3, rows=128_400, start=ONSET - timedelta(hours=1), end=ONSET + timedelta(minutes=30), zones=("+00:00",)),
            SourceCoverage(source="logs", status="cut", files=1, rows=90_112, start=ONSET - timedelta(hours=1), end=ONSET + timedelta(minutes=30), zones=("none",), notes=("3 lines over 16 KiB were cut",)),
            SourceCoverage(source="traces", status="ok", files=1, rows=4_210, start=ONSET - timedelta(hours=1), end=ONSET),
            SourceCoverage(source="changes", status="ok", files=1, rows=7),
            SourceCoverage(source="topology", status="ok", files=1, rows=31),
            SourceCoverage(source="resources", status="missing"),
            SourceCoverage(source="documents", status="empty", files=1),
        ),
        missing=("pod and node state, to exclude an eviction on node-7", "the log lines of productdb itself"),
        timeline=(
            TimelineEntry(at=ONSET - timedelta(minutes=38), lane="change", text="9ecb8232 frontend: new banner"),
            TimelineEntry(at=ONSET - timedelta(seconds=80), lane="change", text="c62e9dec catalogservice: tune cache", claim=cid(1)[0]),
            TimelineEntry(at=ONSET, lane="metric", text="requests to productdb rise", claim=cid(2)[0]),
            TimelineEntry(at=ONSET + timedelta(seconds=15), lane="metric", text="cache hit ratio falls", claim=cid(3)[0]),
            TimelineEntry(at=ONSET + timedelta(seconds=40), lane="trace", text="productdb slows", claim=cid(4)[0]),
            TimelineEntry(at=ALERT - timedelta(seconds=45), lane="log", text="context deadline exceeded, first seen in checkoutservice", claim=cid(5)[0]),
            TimelineEntry(at=ALERT, lane="alert", text="checkoutservice error rate over 5 %"),
        ),
        charts=(
            ChartSeries(label="productdb requests", unit="1/s", onset=ONSET, points=points(98, 1410)),
            ChartSeries(label="catalogservice cache hit ratio", unit="1", onset=ONSET, points=points(0.97, 0.04)),
            ChartSeries(label="productdb duration p95", unit="ms", onset=ONSET + timedelta(seconds=40), points=points(38, 2400)),
        ),
        degraded=("review: the model's answer broke the form twice, the rules answered",),
        conflicts=(ConflictNote(subject="productdb load", description="One agent saw it rise, one saw it unchanged.", ruling="It rises: the probe was run again and agrees."),),
        decisions=(DecisionNote(subject="plan", decision="approved", reason="looks right", decided_by="ana"),),
        without_model=ShortVerdict(outcome="cause_found", causes=(causes[0].model_copy(update={"confidence": 0.78}), causes[1])),
        model=ModelContribution(tasks_added=1, probes_added=3, claims_added=1, claims_refused=2),
        usage=Usage(model_calls=9, tokens_in=41_208, tokens_out=2_310, probe_calls=37, prompt_chars=160_400, shared_chars=98_100, seconds=74.3),
    )  # fmt: skip


@pytest.fixture
def empty():
    return IncidentReport(
        schema=1,
        run="run-1",
        incident="inc-1",
        title="something is slow",
        graph="star@1",
        proposer="rules",
        bundle="00" * 32,
        status="draft",
        outcome="inconclusive",
        headline="The evidence does not single out a cause.",
        missing=("metrics around the alert",),
        coverage=tuple(SourceCoverage(source=s, status="missing") for s in ("metrics", "logs", "traces")),
        without_model=ShortVerdict(outcome="inconclusive"),
    )


def shared_hostile_lines():
    folder = Path(os.environ.get("LEADLINE_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "hostile"
    for name in ("08_log_unicode_hidden.jsonl", "19_html_markdown.jsonl"):
        path = folder / name
        if path.exists():
            for line in path.read_text(encoding="utf-8").split("\n"):  # not splitlines: the texts hold U+2028
                if line:
                    yield json.loads(line)["msg"]


@pytest.fixture
def hostile(rich):
    """The rich report with every free text replaced by hostile ones, in turn."""
    texts = [*HOSTILE_STRINGS, *shared_hostile_lines()]
    keep = {
        "schema_version",
        "schema",
        "status",
        "outcome",
        "kind",
        "lane",
        "source",
        "origin",
        "bundle",
        "start",
        "end",
        "at",
        "onset",
        "points",
    }
    count = iter(range(10_000_000))

    def poison(value, key=""):
        if isinstance(value, dict):
            return {k: poison(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [poison(v, key) for v in value]
        if isinstance(value, str) and key not in keep and not value.startswith("clm-"):
            return texts[next(count) % len(texts)]
        return value

    document = rich.model_dump(mode="json", by_alias=True)
    document["claims"] = [
        {**document["claims"][0], "id": f"clm-{i}", "text": text, "observations": [text], "service": text}
        for i, text in enumerate(texts)
    ]
    document["causes"][0]["claims"] = [c["id"] for c in document["claims"]]
    return IncidentReport.model_validate(poison(document))
