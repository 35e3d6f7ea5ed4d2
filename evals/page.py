"""Evaluations as one HTML file each: no script, nothing fetched; values are escaped, markup is the templates' alone."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ..evidence.visible import visible
from .compare import Comparison
from .matrix import FIGURES
from .plan import Evaluation
from .results import CellResult
from .scorers import MEASURES
from .statistics import Interval, Paired
from .summary import HEADLINE, Group, VersionSummary

WIDTH, ROW = 360.0, 22.0


class Bar(NamedTuple):
    """One row of a picture: a point with its interval on an axis from 0 to 1, or around 0."""

    label: str
    at: float
    low: float
    high: float
    text: str


def evaluation_page(
    evaluation: Evaluation,
    versions: Sequence[VersionSummary],
    groups: Sequence[Group],
    results: Sequence[CellResult],
) -> str:
    """Tables and pictures of one evaluation, its matrix, and every cell."""
    shares = ("ac@1", "ac@3", "right", "grounded")
    pictures = {
        name: [
            _bar(str(v.version), v.measures[name].value, v.measures[name].interval)
            for v in versions
            if name in v.measures
        ]
        for name in shares
    }
    return _render(
        "evaluation.html.j2",
        evaluation=evaluation,
        versions=versions,
        groups=groups,
        results=results,
        pictures={name: bars for name, bars in pictures.items() if bars},
        headline=[name for name in HEADLINE if any(name in v.measures for v in versions)],
        others=[name for name in _names(versions) if name not in HEADLINE],
        figures=[f for f in FIGURES if any(f"{f.layer}.{f.name}" in v.matrix for v in versions)],
    )


def comparison_page(comparison: Comparison) -> str:
    """Two versions side by side: what moved, how surely, and which cases changed."""
    bars = [
        _difference(name, pair)
        for name, pair in comparison.measures.items()
        if MEASURES[name].better != "neither" and max(abs(pair.mean_a), abs(pair.mean_b)) <= 1.0 and pair.difference
    ]
    return _render("comparison.html.j2", comparison=comparison, bars=bars)


def _names(versions: Sequence[VersionSummary]) -> list[str]:
    return list(dict.fromkeys(name for version in versions for name in version.measures))


def _bar(label: str, value: float, interval: Interval) -> Bar:
    text = f"{value:.2f}  [{interval.low:.2f}, {interval.high:.2f}]"
    return Bar(label, value * WIDTH, interval.low * WIDTH, interval.high * WIDTH, text)


def _difference(name: str, pair: Paired) -> Bar:
    """Around the middle: left is less, right is more."""

    def x(value: float) -> float:
        return WIDTH / 2 * (1 + max(-1.0, min(1.0, value)))

    text = f"{pair.difference:+.3f}  [{pair.interval.low:+.3f}, {pair.interval.high:+.3f}]"
    return Bar(name, x(pair.difference), x(pair.interval.low), x(pair.interval.high), text)


def _render(template: str, **values: object) -> str:
    style = _packaged("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704 - our own file
            style_hash=f"'sha256-{digest}'",
            measures=MEASURES,
            width=WIDTH,
            row=ROW,
            **values,
        )
    )


@cache
def _packaged(name: str) -> str:
    return files(__package__).joinpath("pages", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(_packaged),
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    return environment


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def number(value: float | None) -> str:
    """Shares with two places, large amounts whole, nothing as a dash."""
    if value is None:
        return "-"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
