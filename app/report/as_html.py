"""The report as one HTML file: no script, nothing fetched, readable on paper and in the dark.

Every value passes `visible` and autoescaping; markup is the template's alone, and the page's own policy allows one
style sheet, named by its hash.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ...contracts.report import IncidentReport
from ...rules.wording import name_cause, reason_words
from ..times import clock_time, day, offset, utc
from ..visible import visible
from . import pictures, words


def report_html(report: IncidentReport) -> str:
    style = _packaged("report.css")
    page = _environment().get_template("report.html.j2")
    return page.render(
        report=report,
        style=Markup(style),  # noqa: S704 our own file
        style_hash=_hash_source(style),
        evidence=words.Evidence(report.claims),
        charts=pictures.charts(report),
        lanes=pictures.lanes(report),
        onset=pictures.onset_of(report),
    )


@cache
def _packaged(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


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
    environment.globals.update(words=words, pictures=pictures, name_cause=name_cause, reason_words=reason_words)
    environment.filters.update(utc=utc, clock=clock_time, day=day, offset=offset)
    return environment


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _hash_source(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"'sha256-{digest}'"
