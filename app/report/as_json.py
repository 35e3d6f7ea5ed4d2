"""The report as JSON, schema 1 (docs/cli.md)."""

import json

from ...contracts.report import IncidentReport
from ..visible import visible_json


def report_json(report: IncidentReport) -> str:
    """One document, newline at its end; keys are never left out, times are UTC."""
    document = report.model_dump(mode="json", by_alias=True)
    return visible_json(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
