"""Bookings fail, and all that could tell why was not recorded.

Only the edge is seen: `web` answers with errors. The metrics of everything behind it end before the failure, and there
are no logs, traces or changes. The right answer is that the evidence is not enough, and what is missing.
"""

from dataclasses import replace
from datetime import UTC, datetime

from ..fleet import EDGES, normal_metrics, with_curves
from ..telemetry import Dice, Recording, ramp

MINUTES, LOST, FAILED = 90, 38.0, 55.0

INCIDENT = """\
schema: 1
id: fl-124
title: web answers with errors
window: {start: 2026-03-18T08:00:00Z, end: 2026-03-18T09:30:00Z}
alerts:
  - {service: web, metric: error_ratio, fired_at: 2026-03-18T09:01:00Z, severity: critical,
     summary: "error ratio above 5 % for 5 m", labels: {}}
question: what caused the errors?
"""
EXPECTED = """\
schema: 1
outcome: inconclusive
causes: []
tags: {source: leadline-examples, tier: control, fault: unknown, system: ferry}
"""
NOTE = """\
# Collectors

The collector on the application nodes was taken down for its upgrade at 08:38 and had not come back by 09:30. The edge
reports on its own.
"""


def record() -> Recording:
    """The whole recording, the same each time."""
    metrics = with_curves(
        normal_metrics(MINUTES),
        {
            ("web", "error_ratio"): ramp(0.004, 0.22, start=FAILED, end=FAILED + 4),
            ("web", "latency_p95"): ramp(182.0, 640.0, start=FAILED, end=FAILED + 4),
        },
    )
    return Recording(
        start=datetime(2026, 3, 18, 8, tzinfo=UTC),
        minutes=MINUTES,
        dice=Dice("blind-spot"),
        metrics=[s if s.service == "web" else replace(s, until=LOST) for s in metrics],
        edges=EDGES,
        documents={"collectors.md": NOTE},
        incident=INCIDENT,
        expected=EXPECTED,
    )
