"""What checkpoints weigh for each task of a run: it must not grow with the number of tasks.

A state that held findings would grow with every step that stores it. Ours holds ids; the records lie beside it once.
"""

import asyncio
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from leadline.runtime.outcome import StartRequest

from .stage import BUNDLE, rules, stage, team
from .table import Figure

SIZES = (10, 100, 1000)
GROWTH = 1.5
"""From the smallest to the largest run, for each task."""

SLOWER = 3.0
"""A run that reads all of itself at every task would be ten times slower a task."""

QUERY = """
SELECT (SELECT COALESCE(SUM(LENGTH(checkpoint) + LENGTH(metadata)), 0) FROM checkpoints)
     + (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM writes),
       (SELECT COALESCE(SUM(LENGTH(body)), 0) FROM record)
"""


async def one(folder: Path, workers: int) -> tuple[float, float, float]:
    """Bytes of checkpoints and of records a task, and milliseconds a task."""
    async with stage(folder, workers, rules()) as service:
        crew = team(folder, workers)
        begun = time.perf_counter()
        outcome = await service.start(StartRequest(bundle=BUNDLE, team=crew))
        spent = (time.perf_counter() - begun) * 1000
        if outcome.exit_code != 0:
            raise RuntimeError(f"the run ended with {outcome.exit_code}")
    with closing(sqlite3.connect(folder / "runs.db")) as raw:
        checkpoints, records = raw.execute(QUERY).fetchone()
    return checkpoints / workers, records / workers, spent / workers


def measure() -> list[Figure]:
    found: dict[int, tuple[float, float, float]] = {}
    for workers in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            found[workers] = asyncio.run(one(Path(folder), workers))
    least, largest = found[SIZES[0]], found[SIZES[-1]]
    return [
        *(Figure(f"checkpoints, {n} tasks", found[n][0], "bytes a task") for n in SIZES),
        Figure("growth of that from the first to the last", largest[0] / least[0], "times", most=GROWTH),
        *(Figure(f"records, {n} tasks", found[n][1], "bytes a task") for n in SIZES),
        *(Figure(f"time, {n} tasks", found[n][2], "ms a task") for n in SIZES),
        Figure("growth of that from 100 to 1,000 tasks", largest[2] / found[100][2], "times", most=SLOWER),
    ]
