"""The pictures of a report: the decisive metrics around the onset, few and small."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from ..contracts.claim import Claim
from ..contracts.report import ChartSeries, Ranking
from .numbers import rounded
from .series import Series, load_series, moment
from .tables import Periods, Tables

MAX_CHARTS = 4
MAX_POINTS = 240
_METRIC = "metric:"


def charts(tables: Tables, ranking: Ranking, claims: Sequence[Claim]) -> tuple[ChartSeries, ...]:
    """Metrics that the first cause's claims name, then those of the chain, then the strongest of the rest."""
    periods = tables.periods(sparse=True)
    if periods is None:
        return ()
    found: dict[tuple[str, str], ChartSeries] = {}
    for claim in _in_order(ranking, claims):
        key = (claim.subject.ref, claim.signal)
        if key not in found and (chart := _chart(tables, periods, claim)) is not None:
            found[key] = chart
        if len(found) == MAX_CHARTS:
            break
    return tuple(found.values())


def _in_order(ranking: Ranking, claims: Sequence[Claim]) -> Iterator[Claim]:
    first = set(ranking.causes[0].claims_for) if ranking.causes else set()
    chain = {claim for link in ranking.chain for claim in link.claims}
    moving = [c for c in claims if c.signal.startswith(_METRIC) and c.relation in {"rises", "falls", "states"}]
    yield from sorted(
        moving, key=lambda c: (c.id not in first, c.id not in chain, -c.strength, c.subject.ref, c.signal)
    )


def _chart(tables: Tables, periods: Periods, claim: Claim) -> ChartSeries | None:
    metric = claim.signal.removeprefix(_METRIC)
    services = (claim.subject.owner,) if claim.subject.kind in {"service", "instance"} else ()
    loaded = load_series(tables, periods, services=services, metrics=(metric,))
    wanted = [s for s in loaded.series if claim.subject.kind != "instance" or s.instance == claim.subject.ref]
    if not wanted or not len(wanted[0].values):
        return None
    series = wanted[0]
    label = f"{claim.subject.ref} {metric}" if services else metric
    unit = f"{series.unit or '1'}/s" if series.is_rate else series.unit
    return ChartSeries(label=label, unit=unit, onset=claim.at, points=tuple(_points(series)))


def _points(series: Series) -> Iterator[tuple[datetime, float]]:
    """At most `MAX_POINTS`, each the median of its stretch."""
    for stretch in np.array_split(np.arange(len(series.values)), min(MAX_POINTS, len(series.values))):
        value = rounded(float(np.median(series.values[stretch])))
        if value is not None:
            yield moment(int(series.times[stretch[0]])), value
