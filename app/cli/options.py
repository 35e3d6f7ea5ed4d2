"""Options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from ..documents import ReportFormat
from ..listing import ListFormat

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning.")]
ReportForm = Annotated[ReportFormat, typer.Option("--output", "-o", help="How the report is printed.")]
ListForm = Annotated[ListFormat, typer.Option("--output", "-o", help="How the list is printed.")]
CommandArgument = Annotated[
    str | None,
    typer.Argument(metavar="[COMMAND]", help="The action's id, where a run has several.", show_default=False),
]
OutFile = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write to FILE instead of stdout.", show_default=False)
]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Never ask here: exit 5 where the run waits for a person.")]
