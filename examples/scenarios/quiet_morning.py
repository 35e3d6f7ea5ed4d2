"""Nothing is wrong: the paging chain is tried out on a healthy morning, with harmless changes about.

The right answer is that there is no incident. Each change is one that touches nothing that could be felt.
"""

from datetime import UTC, datetime

from ..fleet import BOOKING_CALL, EDGES, TIMETABLE_CALL, normal_logs, normal_metrics, record_call
from ..telemetry import Dice, Recording

MINUTES = 90
FOOTER = "5a90d3be7721c4f806ed9b14a35f8c02d7716e3b"
TYPO = "c2e48f0175bd36a9e15047f9d80b3a6c91ee72d4"

FOOTER_DIFF = """\
--- a/web/templates/footer.html
+++ b/web/templates/footer.html
@@ -4,3 +4,3 @@
-  <p>Ferries since 1921.</p>
+  <p>Ferries since 1912.</p>
"""
TYPO_DIFF = """\
--- a/timetable/README.md
+++ b/timetable/README.md
@@ -1,3 +1,3 @@
-Sailings are red from the database every minute.
+Sailings are read from the database every minute.
"""
INCIDENT = """\
schema: 1
id: fl-121
title: web availability check reported a failure
window: {start: 2026-03-11T08:00:00Z, end: 2026-03-11T09:30:00Z}
alerts:
  - {service: web, metric: error_ratio, fired_at: 2026-03-11T09:00:00Z, severity: warning,
     summary: "outside check failed twice from one location", labels: {check: probe-west}}
question: is something wrong, and if so, what caused it?
"""
EXPECTED = f"""\
schema: 1
outcome: no_incident
causes: []
healthy_control: true
forbidden:
  - {{kind: change, ref: {FOOTER}, service: web}}
  - {{kind: change, ref: {TYPO}, service: timetable}}
tags: {{source: leadline-examples, tier: control, fault: none, system: ferry}}
"""


def record() -> Recording:
    """The whole recording, the same each time."""
    rec = Recording(
        start=datetime(2026, 3, 11, 8, tzinfo=UTC),
        minutes=MINUTES,
        dice=Dice("quiet-morning"),
        metrics=normal_metrics(MINUTES),
        edges=EDGES,
    )
    for minute, service, ref, title, diff in (
        (26.0, "timetable", TYPO, "timetable: a typo in the README", TYPO_DIFF),
        (51.0, "web", FOOTER, "web: the right year in the footer", FOOTER_DIFF),
    ):
        rec.changes.append(
            {"ts": rec.at(minute), "kind": "deploy", "service": service, "ref": ref, "title": title, "diff": diff}
        )
    normal_logs(rec, every=0.4)
    for n in range(int(MINUTES / 1.5)):
        calls = TIMETABLE_CALL if n % 4 == 3 else BOOKING_CALL
        record_call(rec, n * 1.5 + rec.dice.uniform(0.0, 1.0), calls)
    rec.incident, rec.expected = INCIDENT, EXPECTED
    return rec
