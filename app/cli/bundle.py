"""`leadline bundle`: check, pack and import."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from ...contracts.evidence import SourceCoverage
from ...contracts.incident import Incident
from ...evals.formats import FORMATS, importer
from ...evidence.opened import open_bundle
from ...evidence.pack import pack as pack_bundle
from ..console import facts, line, output, text
from ..documents import write_document
from ..listing import Row, aligned, as_json, as_yaml
from ..report.words import COVERAGE_LABELS
from ..times import between, utc
from . import exit_codes
from .lazy import command_app
from .options import ListForm

app = command_app(help="Check, pack or import telemetry bundles.")
BundleArgument = Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder with an incident.yaml.")]


@app.command()
def check(*, bundle: BundleArgument, form: ListForm = "table") -> int:
    """Say what a bundle holds, lacks, and what of it could not be read.

    The exit code is 0 where all that is there could be read, 3 where something is empty, cut or unreadable.
    """
    opened = open_bundle(bundle)
    try:
        incident, digest, coverage = opened.incident, opened.bundle_digest, opened.coverage()
    finally:
        opened.close()
    if form == "table":
        _show(incident, digest, coverage)
    else:
        document: dict[str, JsonValue] = {
            "schema": 1,
            "incident": incident.model_dump(mode="json"),
            "digest": digest,
            "coverage": [c.model_dump(mode="json") for c in coverage],
        }
        write_document(as_json(document) if form == "json" else as_yaml(document), None)
    whole = all(c.status in {"ok", "missing"} for c in coverage)
    return exit_codes.OK if whole else exit_codes.INCONCLUSIVE


def _show(incident: Incident, digest: str, coverage: tuple[SourceCoverage, ...]) -> None:
    console, first = output(), incident.first_alert
    window = between(incident.window.start, incident.window.end) if incident.window else "all that the data spans"
    fired = f" at {utc(first.fired_at)}" if first and first.fired_at else ""
    pairs = [
        ("incident", f"{incident.id}: {incident.title}"),
        ("window", window),
        ("alerts", f"{len(incident.alerts)}, the first: {first.service} {first.metric}{fired}" if first else "none"),
        ("digest", f"sha256 {digest}"),
    ]
    for pair in facts(pairs):
        console.print(pair, crop=False)
    console.print()
    columns = {"SOURCE": "source", "STATE": "state", "FILES": "files", "ROWS": "rows", "SPAN": "span", "ZONES": "zones"}
    console.print(text(aligned([_row(c) for c in coverage], columns)), soft_wrap=True)
    for source in coverage:
        for note in source.notes:
            console.print(line(f"{source.source}: {note}"), soft_wrap=True)


def _row(coverage: SourceCoverage) -> Row:
    return {
        "source": coverage.source,
        "state": COVERAGE_LABELS[coverage.status],
        "files": coverage.files,
        "rows": f"{coverage.rows:,}",
        "span": between(coverage.start, coverage.end) if coverage.start and coverage.end else None,
        "zones": list(coverage.zones),
    }


@app.command()
def pack(
    *,
    bundle: BundleArgument,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The packed bundle; a new folder.")],
    form: ListForm = "table",
) -> None:
    """Write a bundle as Parquet: smaller, faster to ask, with the same answers; print its digest."""
    packed = pack_bundle(bundle, out)
    if form != "table":
        document: dict[str, JsonValue] = {"schema": 1, **packed.model_dump(mode="json")}
        write_document(as_json(document) if form == "json" else as_yaml(document), None)
        return
    console = output()
    pairs = [
        ("packed", packed.out),
        ("digest", f"sha256 {packed.digest}"),
        ("packed from", f"sha256 {packed.packed_from}"),
        ("rows", ", ".join(f"{source} {rows:,}" for source, rows in packed.rows.items())),
        ("size", f"{packed.size:,} bytes"),
    ]
    for pair in facts(pairs):
        console.print(pair)
    for note in packed.notes:
        console.print(line(note), soft_wrap=True)


@app.command("import")
def import_(
    *,
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="One of: " + ", ".join(sorted(FORMATS)) + ".")],
    source: Annotated[Path, typer.Argument(metavar="SRC", help="Where the collection is.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the cases; it is created.")],
    limit: Annotated[int | None, typer.Option(min=1, help="The first cases only.", show_default=False)] = None,
) -> None:
    """Turn a public collection of incidents into cases: a bundle each, and beside it what is expected."""
    summary = importer(form).import_all(source, out, limit=limit)
    console = output()
    for note in summary.notes:
        console.print(line(f"note: {note}"), soft_wrap=True)
    console.print(line(f"{summary.cases} cases of {summary.format} in {out}"), soft_wrap=True)
