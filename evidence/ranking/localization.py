"""Where the fault sits: each service's evidence by kind, less what those that it calls and all others show as well."""

from collections.abc import Callable, Mapping

from .support import noisy_or

DRAGGED = 0.55
"""How far a service gives way to one that it calls and that is in as much trouble."""
OTHER_KIND = 0.6
"""How far a callee's trouble of another kind counts for that."""
PROPAGATES = frozenset({"metric", "log", "trace", "traffic"})
"""Kinds of evidence that a fault further down produces as well; a full processor or disk is one's own, and the course
of requests and the path from the alert come with callees taken off."""
LEADING = frozenset({"course", "path"})
OUTWEIGHS, HALF = 0.8, 0.1
"""How far other kinds give way, at most and by half, where requests take another course at some service (load and
chance change how long work takes and how much it uses every minute, hardly ever what is done), or where the alert's own
measure leads along the calls to one."""

Families = Mapping[str, Mapping[str, float]]
"""By service and kind of evidence, how much speaks for a fault of its own."""


def seats(families: Families, reached: Callable[[str], Mapping[str, float]]) -> dict[str, float]:
    """How much speaks for each service as the seat of the fault, in [0, 1].

    A kind of evidence in which one service stands out counts in full; one that several show alike counts as little as
    the share that is left, whatever the call graph says. The best service keeps the weight of its evidence.
    """
    left = {name: _left(name, families, reached(name)) for name in families}
    plain = {name: noisy_or(own.values()) for name, own in left.items()}
    apart = _apart(left)
    best, most = max(apart.values(), default=0.0), max(plain.values(), default=0.0)
    return {name: value * most / best if best else 0.0 for name, value in apart.items()}


def _left(name: str, families: Families, reached: Mapping[str, float]) -> dict[str, float]:
    """What is left of its own fault where a service that it calls shows as much of the same kind."""
    left = {}
    for family, own in families[name].items():
        same = max((near * families[c].get(family, 0.0) for c, near in reached.items()), default=0.0)
        other = max((near * noisy_or(families[c].values()) for c, near in reached.items()), default=0.0)
        worst = max(same, OTHER_KIND * other) if family in PROPAGATES else 0.0
        left[family] = own * (1.0 - DRAGGED * min(1.0, worst / own)) if own else 0.0
    return left


def _apart(left: Families) -> dict[str, float]:
    firsts = {family: _two_best(left, family) for family in sorted({f for own in left.values() for f in own})}
    lead = max((firsts[family][0] for family in LEADING if family in firsts), default=0.0)
    others = 1.0 - OUTWEIGHS * lead / (lead + HALF) if lead else 1.0
    found = {}
    for name, own in left.items():
        shares = []
        for family, value in own.items():
            first, second = firsts[family]
            rival = second if value == first else first
            share = value * value / (value + rival) if value else 0.0
            shares.append(share if family in LEADING else share * others)
        found[name] = noisy_or(shares)
    return found


def _two_best(left: Families, family: str) -> tuple[float, float]:
    values = sorted((own.get(family, 0.0) for own in left.values()), reverse=True)
    return values[0], values[1] if len(values) > 1 else 0.0
