"""An invented ferry line's booking platform: its services, how they call each other, and what is normal there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .telemetry import Curve, Dice, Recording, Series, ramp, steady

EDGES = (
    ("web", "booking", "http"),
    ("web", "timetable", "http"),
    ("booking", "seatmap", "grpc"),
    ("booking", "payments", "http"),
    ("seatmap", "seatdb", "sql"),
    ("timetable", "seatdb", "sql"),
)

NOTHING: Mapping[str, float] = {}
ROUTES = ("harbour-islands", "north-passage", "night-line", "river-mouth")


@dataclass(frozen=True)
class Hop:
    """One call within the usual booking request."""

    service: str
    name: str
    parent: int
    """Index of the calling hop, -1 for the first."""
    self_ms: float


BOOKING_CALL = (
    Hop("web", "POST /bookings", -1, 14.0),
    Hop("booking", "create_booking", 0, 21.0),
    Hop("seatmap", "SeatMap/Hold", 1, 9.0),
    Hop("seatdb", "UPDATE seat", 2, 6.0),
    Hop("payments", "POST /authorise", 1, 88.0),
)
TIMETABLE_CALL = (
    Hop("web", "GET /sailings", -1, 11.0),
    Hop("timetable", "list_sailings", 0, 15.0),
    Hop("seatdb", "SELECT sailing", 1, 5.0),
)


SERVED: dict[str, tuple[float, float, float, float]] = {
    "web": (42.0, 0.004, 182.0, 31.0),
    "booking": (18.0, 0.003, 148.0, 37.0),
    "seatmap": (22.0, 0.002, 24.0, 22.0),
    "timetable": (25.0, 0.001, 31.0, 18.0),
    "payments": (6.0, 0.002, 104.0, 12.0),
}
"""Requests a second, share of errors, 95th percentile in milliseconds, CPU in percent."""


def normal_metrics(minutes: int) -> list[Series]:
    """Every service's usual levels on a morning that grows busier by a sixth."""

    def morning(level: float) -> Curve:
        return ramp(level, level * 1.16, start=0.0, end=float(minutes))

    found: list[Series] = []
    for service, (rate, errors, p95, cpu) in SERVED.items():
        found += [
            Series(service=service, metric="requests", unit="per_second", curve=morning(rate)),
            Series(service=service, metric="error_ratio", unit="ratio", curve=steady(errors), spread=0.12, digits=4),
            Series(service=service, metric="latency_p95", unit="ms", curve=steady(p95), spread=0.05, digits=0),
            Series(service=service, metric="cpu_utilization", unit="percent", curve=morning(cpu)),
        ]
    return [
        *found,
        Series(service="seatmap", metric="db_pool_in_use", unit="connections", curve=steady(9.0), digits=0, most=40.0),
        Series(service="seatmap", metric="memory_used", unit="MB", curve=steady(421.0), spread=0.01, digits=0),
        Series(service="seatdb", metric="connections", unit="connections", curve=steady(28.0), digits=0),
        Series(service="seatdb", metric="cpu_utilization", unit="percent", curve=morning(34.0)),
        Series(service="seatdb", metric="query_p95", unit="ms", curve=steady(11.8)),
        Series(service="seatdb", metric="transactions", unit="per_second", curve=morning(61.0)),
    ]


def with_curves(metrics: list[Series], curves: dict[tuple[str, str], Curve]) -> list[Series]:
    """The same metrics, some of them following another curve; every key must name one."""
    known = {(s.service, s.metric) for s in metrics}
    if unknown := set(curves) - known:
        raise KeyError(sorted(unknown))
    return [replace(s, curve=curves.get((s.service, s.metric), s.curve)) for s in metrics]


def instance(dice: Dice, service: str) -> str:
    return f"{service}-{dice.below(2)}"


def normal_logs(rec: Recording, every: float, until: float | None = None) -> None:
    """What the services say on a good day."""
    dice, end = rec.dice, rec.minutes if until is None else until
    minute = 0.0
    while (minute := minute + dice.uniform(0.4, 1.6) * every) < end:
        service, severity, body = _line(dice)
        rec.log(minute, service, instance(dice, service), severity, body)
    for tick in range(5, int(end), 30):
        rec.log(tick + 0.2, "seatdb", "seatdb-0", "INFO", f"checkpoint complete: wrote {90 + dice.below(60)} buffers")


def _line(dice: Dice) -> tuple[str, str, str]:
    sailing, seat = f"{ROUTES[dice.below(4)]}-{100 + dice.below(40)}", f"{1 + dice.below(30)}{'ABCDEF'[dice.below(6)]}"
    lines = (
        ("web", "INFO", f"POST /bookings 201 in {150 + dice.below(60)} ms"),
        ("web", "INFO", f"GET /sailings 200 in {28 + dice.below(20)} ms"),
        ("booking", "INFO", f"booking confirmed reference=FL{100000 + dice.below(900000)} seats={1 + dice.below(4)}"),
        ("seatmap", "INFO", f"seat held sailing={sailing} seat={seat}"),
        ("seatmap", "WARN", f"seat already taken sailing={sailing} seat={seat}, answering 409"),
        ("timetable", "INFO", f"served {20 + dice.below(30)} sailings from cache"),
        ("payments", "INFO", f"card authorised reference=FL{100000 + dice.below(900000)}"),
    )
    return lines[dice.below(len(lines))]


def record_call(
    rec: Recording, minute: float, hops: tuple[Hop, ...], *, slow: Mapping[str, float] = NOTHING, failed: int = 0
) -> None:
    """One trace: `slow` adds own milliseconds to a service; the first `failed` hops end in an error.

    What lies below a failed call is not reached.
    """
    dice = rec.dice
    hops = hops[:failed] if failed else hops
    own = [hop.self_ms * dice.uniform(0.8, 1.25) + slow.get(hop.service, 0.0) for hop in hops]
    total = list(own)
    for i in range(len(hops) - 1, 0, -1):
        total[hops[i].parent] += total[i]
    trace, ids, begins = dice.hex(16), [dice.hex(8) for _ in hops], [0.0] * len(hops)
    spent: dict[int, float] = {}
    for i, hop in enumerate(hops):
        if hop.parent >= 0:
            begins[i] = begins[hop.parent] + own[hop.parent] / 3 + spent.get(hop.parent, 0.0)
            spent[hop.parent] = spent.get(hop.parent, 0.0) + total[i]
        rec.spans.append(
            {
                "trace_id": trace,
                "span_id": ids[i],
                "parent_id": ids[hop.parent] if hop.parent >= 0 else "",
                "service": hop.service,
                "name": hop.name,
                "start": rec.at(minute + begins[i] / 60_000),
                "duration_ms": round(total[i], 1),
                "status": "ERROR" if failed else "OK",
            }
        )
