"""Where a rendered document goes: stdout, or a file that appears only when it is whole."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ..contracts.errors import UsageError
from ..contracts.report import IncidentReport
from .console import output
from .report.as_html import report_html
from .report.as_json import report_json
from .report.as_markdown import report_markdown
from .report.as_text import print_report, report_text

ReportFormat = Literal["table", "md", "json", "html"]
_RENDERERS: dict[ReportFormat, Callable[[IncidentReport], str]] = {
    "table": report_text,
    "md": report_markdown,
    "json": report_json,
    "html": report_html,
}


def write_report(report: IncidentReport, form: ReportFormat, out: Path | None) -> None:
    if form == "table" and out is None:
        print_report(output(), report)
    else:
        write_document(_RENDERERS[form](report), out)


def write_document(text: str, out: Path | None) -> None:
    """Raise `UsageError` where `out` cannot be written; an older file stays whole then."""
    if out is None:
        sys.stdout.write(text)
        return
    partial = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(out)
    except OSError as fault:
        partial.unlink(missing_ok=True)
        raise UsageError(f"{str(out)!r} cannot be written", why=fault.strerror or str(fault)) from fault
