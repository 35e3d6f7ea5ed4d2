"""Connections leak on a rare path: a change breaks the platform half an hour after it went out.

At 08:22 `seatmap` gets a change that gives its database connection back by hand, and not when the seat is taken
already. That happens about once a minute, so the pool of 40 fills slowly and is empty at 08:57. From then on seat holds
wait for a connection, `booking` runs into its deadline, retries, logs loudly and pages. Nearer to the page, and on the
paging service, lies an innocent deploy; a flag on `web` and two more deploys are innocent too. The database is fine.
"""

from datetime import UTC, datetime

from ..fleet import BOOKING_CALL, EDGES, TIMETABLE_CALL, normal_logs, normal_metrics, record_call, with_curves
from ..telemetry import Dice, Recording, ramp

DEPLOYED, FULL, MINUTES = 22.0, 57.0, 110
LEAK = "7d1f0c92b54e8a3660cf21d97be4a8150e3fd26c"
DECKS = "e41b87aa09d35c2f7718be90d6c4f3a2515e0b7d"
LOGFORMAT = "30c6e5f1d78b924a0bd35917fe82c60a94bb1e4f"
SAILINGS = "b8270e4d16fa93c5827f4e01ad6b59c3e0f7d418"

LEAK_DIFF = """\
--- a/seatmap/holds.py
+++ b/seatmap/holds.py
@@ -41,12 +41,14 @@ def hold(sailing: str, seat: str, customer: str) -> Hold:
-    with pool.connection() as conn:
-        row = conn.execute(LOCK_SEAT, (sailing, seat)).fetchone()
-        if row.holder is not None:
-            raise SeatTaken(sailing, seat)
-        conn.execute(SET_HOLDER, (customer, sailing, seat))
+    conn = pool.getconn()
+    row = conn.execute(LOCK_SEAT, (sailing, seat)).fetchone()
+    if row.holder is not None:
+        raise SeatTaken(sailing, seat)
+    conn.execute(SET_HOLDER, (customer, sailing, seat))
+    conn.commit()
+    pool.putconn(conn)
     return Hold(sailing, seat, customer)
"""
DECKS_DIFF = """\
--- a/booking/mail/confirmation.html
+++ b/booking/mail/confirmation.html
@@ -12,7 +12,19 @@
   <h1>Your crossing is booked</h1>
-  <p>Deck {{ deck_number }}</p>
+  <p>Deck {{ deck_number }}, {{ deck_name }}</p>
+  <ul class="deck-hints">
+    <li>Boarding closes 20 minutes before departure.</li>
+    <li>Bicycles board first.</li>
+    <li>The restaurant is on deck 7.</li>
+  </ul>
--- a/booking/mail/decks.py
+++ b/booking/mail/decks.py
@@ -3,3 +3,10 @@
-DECKS = {3: "car", 5: "cabin", 7: "saloon"}
+DECKS = {
+    3: "car deck",
+    5: "cabin deck",
+    6: "quiet deck",
+    7: "saloon deck",
+    8: "sun deck",
+}
"""
LOGFORMAT_DIFF = """\
--- a/payments/logging.yaml
+++ b/payments/logging.yaml
@@ -2,4 +2,4 @@
 format: json
-rotate_mb: 64
+rotate_mb: 128
"""
SAILINGS_DIFF = """\
--- a/timetable/settings.toml
+++ b/timetable/settings.toml
@@ -8,3 +8,3 @@
 [cache]
-sailings_seconds = 60
+sailings_seconds = 90
"""

INCIDENT = """\
schema: 1
id: fl-118
title: bookings fail with seat hold errors
window: {start: 2026-03-04T08:00:00Z, end: 2026-03-04T09:50:00Z}
alerts:
  - {service: booking, metric: error_ratio, fired_at: 2026-03-04T09:06:00Z, severity: critical,
     summary: "error ratio above 5 % for 5 m", labels: {team: sales}}
  - {service: web, metric: latency_p95, fired_at: 2026-03-04T09:08:00Z, severity: warning,
     summary: "p95 above 1 s for 5 m", labels: {team: sales}}
question: what broke bookings, and which change or fault caused it?
"""
EXPECTED = f"""\
schema: 1
outcome: cause_found
causes:
  - {{kind: change, ref: {LEAK}, service: seatmap, reason: connection_leak, reason_aliases: [pool_exhaustion]}}
judged_by: [ref, service, reason]
first_failing_service: seatmap
affected_services: [seatmap, booking, web]
remediation: rollback
forbidden:
  - {{kind: change, ref: {DECKS}, service: booking}}
  - {{kind: change, ref: flag-winter-fares, service: web}}
facts: ["db_pool_in_use", "no connection free"]
required_evidence: [metrics, changes]
tags: {{source: leadline-examples, tier: medium, fault: connection_leak, system: ferry}}
"""
RUNBOOK = """\
# Booking: error ratio

`booking` answers for the customer, so it pages first, whoever is to blame. It calls `seatmap` with a deadline of 3 s
and up to three attempts, and `payments` after a seat is held. Look at what it waits for before you touch it.

A deploy is taken back with `ship rollback SERVICE`. Restarting `booking` has never helped.
"""
ARCHITECTURE = """\
# Seat map

`seatmap` keeps seat holds in `seatdb`. It has a pool of 40 connections; a hold takes about 10 ms. A hold on a seat that
somebody else has is normal in the high season and answered with 409. `timetable` reads from the same database through a
pool of its own.
"""


def record() -> Recording:
    """The whole recording, the same each time."""
    dice = Dice("ferry-bookings")
    jam = {"start": FULL, "end": FULL + 5}
    metrics = with_curves(
        normal_metrics(MINUTES),
        {
            ("seatmap", "db_pool_in_use"): ramp(9.0, 40.0, start=DEPLOYED + 1, end=FULL),
            ("seatdb", "connections"): ramp(28.0, 59.0, start=DEPLOYED + 1, end=FULL),
            ("seatmap", "latency_p95"): ramp(24.0, 2950.0, **jam),
            ("seatmap", "error_ratio"): ramp(0.002, 0.41, **jam),
            ("booking", "latency_p95"): ramp(148.0, 3090.0, start=FULL + 1, end=FULL + 6),
            ("booking", "error_ratio"): ramp(0.003, 0.38, start=FULL + 1, end=FULL + 6),
            ("booking", "cpu_utilization"): ramp(38.0, 66.0, start=FULL + 1, end=FULL + 6),
            ("web", "latency_p95"): ramp(182.0, 3140.0, start=FULL + 1.5, end=FULL + 7),
            ("web", "error_ratio"): ramp(0.004, 0.17, start=FULL + 1.5, end=FULL + 7),
            ("payments", "requests"): ramp(6.4, 3.7, start=FULL + 1.5, end=FULL + 7),
        },
    )
    rec = Recording(start=datetime(2026, 3, 4, 8, tzinfo=UTC), minutes=MINUTES, dice=dice, metrics=metrics, edges=EDGES)
    _changes(rec)
    normal_logs(rec, every=0.32, until=FULL)
    _leak_logs(rec)
    _jam_logs(rec)
    _traces(rec)
    rec.documents = {"runbook-booking.md": RUNBOOK, "architecture-seatmap.md": ARCHITECTURE}
    rec.incident, rec.expected = INCIDENT, EXPECTED
    return rec


def _changes(rec: Recording) -> None:
    rows = (
        (8.0, "deploy", "timetable", SAILINGS, "timetable: keep sailings in the cache a little longer", SAILINGS_DIFF),
        (DEPLOYED, "deploy", "seatmap", LEAK, "seatmap: shorter transactions for seat holds", LEAK_DIFF),
        (31.0, "deploy", "payments", LOGFORMAT, "payments: fewer log files", LOGFORMAT_DIFF),
        (49.0, "flag", "web", "flag-winter-fares", "winter-fares banner: 0 % -> 50 %", ""),
        (55.0, "deploy", "booking", DECKS, "booking: deck names in the confirmation mail", DECKS_DIFF),
    )
    actors = ("mila", "jonas", "ines", "release-bot", "tomasz")
    for (minute, kind, service, ref, title, diff), actor in zip(rows, actors, strict=True):
        row = {"ts": rec.at(minute), "kind": kind, "service": service, "ref": ref, "title": title}
        rec.changes.append({**row, "actor": actor, **({"diff": diff} if diff else {})})


def _leak_logs(rec: Recording) -> None:
    """The database notices sessions that nobody uses any more, fifteen minutes after the first."""
    for n in range(18):
        minute = DEPLOYED + 17 + n * 4.1
        body = f"session idle in transaction for {900 + rec.dice.below(60)} s application=seatmap pid={2210 + 3 * n}"
        rec.log(minute, "seatdb", "seatdb-0", "WARN", body)


def _jam_logs(rec: Recording) -> None:
    dice, minute = rec.dice, FULL
    while (minute := minute + dice.uniform(0.15, 0.45)) < rec.minutes:
        n, host = dice.below(8), dice.below(2)
        if n < 2:
            waiting = 14 + dice.below(20)
            body = f"seat hold failed: no connection free after 2900 ms, in use 40 of 40, waiting {waiting}"
            rec.log(minute, "seatmap", f"seatmap-{host}", "ERROR", body)
        elif n < 5:
            body = f"deadline exceeded calling seatmap SeatMap/Hold after 3000 ms, attempt {1 + dice.below(3)} of 3"
            rec.log(minute, "booking", f"booking-{host}", "ERROR", body)
        elif n == 5:
            rec.log(minute, "web", f"web-{host}", "ERROR", f"POST /bookings 502 in {3040 + dice.below(90)} ms")
        elif n == 6:
            rec.log(minute, "web", f"web-{host}", "INFO", f"GET /sailings 200 in {28 + dice.below(20)} ms")
        else:
            rec.log(
                minute, "timetable", f"timetable-{host}", "INFO", f"served {20 + dice.below(30)} sailings from cache"
            )


def _traces(rec: Recording) -> None:
    dice = rec.dice
    for n in range(int(rec.minutes / 1.25)):
        minute = n * 1.25 + dice.uniform(0.0, 0.9)
        if n % 5 == 4:
            record_call(rec, minute, TIMETABLE_CALL)
        elif minute < FULL:
            record_call(rec, minute, BOOKING_CALL)
        elif dice.chance(0.45):
            record_call(rec, minute, BOOKING_CALL, slow={"seatmap": dice.uniform(2890.0, 2960.0)}, failed=3)
        else:
            record_call(rec, minute, BOOKING_CALL, slow={"seatmap": dice.uniform(700.0, 2300.0)})
