"""What the ranking loses without one kind of evidence, and on data that is late, thinned, shifted or shuffled.

`python -m benchmarks.robustness DATASET [--every N]`: AC@1 of the analysts and the ranking, with no model and no graph,
on a folder of cases as it is, then on changed copies of it. Nothing of the data set is written to.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import duckdb
from ruamel.yaml import YAML

from leadline.contracts.evidence import SOURCES
from leadline.evals.dataset import Case, load_dataset
from leadline.evals.scorers import score
from leadline.evidence.opened import open_bundle
from leadline.evidence.pack import pack
from leadline.rules.reporting import reported_causes

from .rootcausebench import investigate

LATE, SKEW = timedelta(seconds=60), timedelta(seconds=90)
Change = Callable[[Path], None]


class Loss(NamedTuple):
    name: str
    ac1: float
    lost: float
    """AC@1 of the data as it is, minus this."""


def without(source: str) -> Change:
    def change(bundle: Path) -> None:
        for path in bundle.glob(f"{source}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return change


def late_alert(bundle: Path) -> None:
    """The alert is told a minute after it fired."""
    yaml, file = YAML(typ="safe", pure=True), bundle / "incident.yaml"
    incident = yaml.load(file.read_text("utf-8"))
    for alert in incident.get("alerts", []):
        if alert.get("fired_at") is not None:
            fired = datetime.fromisoformat(str(alert["fired_at"]))  # a date for YAML, or a text where it was quoted
            alert["fired_at"] = (fired.replace(tzinfo=fired.tzinfo or UTC) + LATE).isoformat()
    with file.open("w", encoding="utf-8") as out:
        yaml.dump(incident, out)


def thinned(bundle: Path) -> None:
    """Every tenth point of the metrics is missing, by chance that is always the same."""
    rewrite(bundle / "metrics.parquet", "SELECT * FROM rows WHERE hash(service, metric, ts) % 10 <> 0")


def skewed(bundle: Path) -> None:
    """The clock of one service, the one that says most, is a minute and a half ahead."""
    for name, column in (("metrics", "ts"), ("logs", "ts"), ("traces", "start")):
        most = "(SELECT service FROM rows GROUP BY service ORDER BY count(*) DESC, service LIMIT 1)"
        ahead = (
            f"CASE WHEN service = {most} THEN {column} + INTERVAL {int(SKEW.total_seconds())} SECOND ELSE {column} END"
        )
        rewrite(bundle / f"{name}.parquet", f"SELECT * REPLACE ({ahead} AS {column}) FROM rows")


def shuffled(bundle: Path) -> None:
    for file in bundle.glob("*.parquet"):
        rewrite(file, "SELECT * FROM (SELECT *, row_number() OVER () AS place FROM rows) ORDER BY hash(place)", "place")


def rewrite(file: Path, query: str, drop: str = "") -> None:
    if not file.exists():
        return
    kept = file.with_suffix(".new")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE VIEW rows AS SELECT * FROM read_parquet('{file}')")
        chosen = f"SELECT * EXCLUDE ({drop}) FROM ({query})" if drop else query
        connection.execute(f"COPY ({chosen}) TO '{kept}' (FORMAT parquet)")
    kept.replace(file)


CHANGES: dict[str, Change] = {
    **{f"without {source}": without(source) for source in SOURCES},
    "alert told 60 s late": late_alert,
    "10 % of points missing": thinned,
    "one clock 90 s ahead": skewed,
    "rows shuffled": shuffled,
}


async def hit(bundle: Path, case: Case) -> float:
    opened = open_bundle(bundle)
    try:
        ranking, _ = await investigate(opened)
    finally:
        opened.close()
    causes = [c.model_dump(mode="json") for c in reported_causes(ranking)]
    found = score({"outcome": ranking.outcome, "causes": causes}, case.expected)["ac@1"]
    return float(ranking.outcome == case.expected.outcome) if found is None else found


async def measured(cases: list[Case], change: Change | None) -> float:
    hits = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "bundle"
            pack(case.bundle, copy)
            (copy / "bundle.json").unlink(missing_ok=True)
            if change is not None:
                change(copy)
            hits.append(await hit(copy, case))
    return sum(hits) / len(hits)


async def show_losses(cases: list[Case]) -> None:
    whole = await measured(cases, None)
    show(Loss("as it is", whole, 0.0))
    for name, change in CHANGES.items():
        changed = await measured(cases, change)
        show(Loss(name, changed, whole - changed))


def show(loss: Loss) -> None:
    print(f"  {loss.name:<24} AC@1 {loss.ac1:.2f}  lost {loss.lost:+.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    given = parser.parse_args()
    cases = list(load_dataset(given.dataset))[:: given.every]
    print(f"{len(cases)} cases of {given.dataset.name}")
    asyncio.run(show_losses(cases))


if __name__ == "__main__":
    main()
