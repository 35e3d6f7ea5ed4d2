"""Every public collection below a folder, imported, evaluated and shown in one table.

`python -m leadline.evals FOLDER [--work DIR] [--graph star@1 …] [--limit N] [--jobs N]`
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..contracts.errors import DatasetError, LeadlineError
from ..runtime.settings import load_settings
from .formats import FORMATS
from .formats.base import Importer
from .progress import Progress
from .results import CellResult
from .runner import EvalRequest, run_dataset
from .summary import VersionSummary, summarize

COLUMNS = (
    "ac@1", "ac@3", "ac@5", "chance@1", "right", "grounded", "outcome", "false_alarm", "confident_wrong", "seconds",
)  # fmt: skip


class Row(NamedTuple):
    name: str
    """Collection and system."""
    summary: VersionSummary


async def run_public(
    folder: Path, work: Path, graphs: tuple[str, ...], *, limit: int | None = None, jobs: int = 2
) -> list[Row]:
    """Import what is not imported yet, run what is not run yet, and group the figures by system."""
    rows: list[Row] = []
    settings = load_settings(database=work / "leadline.db", model="rules")
    for name in sorted(FORMATS):
        source = _source(folder, name)
        dataset = work / "sets" / (name if limit is None else f"{name}-{limit}")
        if source is None or not _imported(FORMATS[name], source, dataset, limit):
            continue
        request = EvalRequest(dataset=dataset, graphs=graphs, jobs=jobs, reuse=True)
        outcome = await run_dataset(request, settings, lambda progress, name=name: _say(name, progress))  # type: ignore[misc]
        rows += [
            Row(label, summary) for label, cells in _by_system(name, outcome.results) for summary in summarize(cells)
        ]
    return rows


def table(rows: Sequence[Row]) -> str:
    """Plain text, one line per system and version."""
    head = ["set", "version", "cases", *COLUMNS, "failed"]
    body = [
        [row.name, row.summary.version.graph, str(row.summary.cases)]
        + [f"{row.summary.measures[c].value:.2f}" if c in row.summary.measures else "-" for c in COLUMNS]
        + [str(row.summary.failed)]
        for row in rows
    ]
    widths = [max(len(line[place]) for line in [head, *body]) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) if place < 2 else cell.rjust(width) for place, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(line, widths, strict=True)) for line in [head, *body])
    )


def _source(folder: Path, name: str) -> Path | None:
    """The sub-folder that is named like the format, give or take its punctuation and what follows."""
    plain = name.replace("_", "")
    found = (p for p in sorted(folder.iterdir()) if p.is_dir() and p.name.replace("-", "").startswith(plain))
    return next(found, None)


def _imported(importer: Importer, source: Path, dataset: Path, limit: int | None) -> bool:
    if dataset.is_dir():
        return True
    try:
        importer.import_all(source, dataset, limit=limit)
    except DatasetError as error:
        print(f"{importer.name}: {error}", file=sys.stderr)  # noqa: T201 - a command of its own
        return False
    return True


def _by_system(name: str, results: Sequence[CellResult]) -> list[tuple[str, list[CellResult]]]:
    groups: dict[str, list[CellResult]] = {}
    for result in results:
        system = result.tags.get("system", "")
        groups.setdefault(name if system in ("", name) else f"{name} {system}", []).append(result)
    return sorted(groups.items())


def _say(name: str, progress: Progress) -> None:
    left = "?" if progress.eta is None else f"{progress.eta:.0f} s"
    print(f"{name}: {progress.done}/{progress.total}, {left} left", file=sys.stderr)  # noqa: T201 - a command of its own


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="holds one folder per collection")
    parser.add_argument("--work", type=Path, default=Path("public-evaluation"), help="imported sets and results")
    parser.add_argument("--graph", action="append", dest="graphs", help="graph version; several are compared")
    parser.add_argument("--limit", type=int, help="cases of each collection")
    parser.add_argument("--jobs", type=int, default=2, help="investigations at the same time")
    asked = parser.parse_args(argv)
    began = time.monotonic()
    try:
        rows = asyncio.run(
            run_public(asked.folder, asked.work, tuple(asked.graphs or ["star@1"]), limit=asked.limit, jobs=asked.jobs)
        )
    except LeadlineError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - a command of its own
        return error.exit_code
    print(table(rows))  # noqa: T201 - a command of its own
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)  # noqa: T201 - a command of its own
    return 0
