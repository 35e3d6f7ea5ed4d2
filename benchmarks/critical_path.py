"""How much of a run is waiting for the model: one planner, six workers, one summary, 200 ms a call, four at once.

The model is the Ollama double in a process of its own. Nobody can be faster than 200 + 2 x 200 + 200 = 800 ms.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.contracts.report import IncidentReport
from leadline.runtime.outcome import StartRequest

from .stage import BUNDLE, stage, team
from .table import Figure

WORKERS, SLOTS, DELAY_MS, ROUNDS = 6, 4, 200, 7
IDEAL = DELAY_MS * (1 + -(-WORKERS // SLOTS) + 1)


@contextmanager
def model_server(folder: Path) -> Iterator[str]:
    """The double's URL; every answer is the smallest that fits the form, after the delay."""
    script = folder / "script.json"
    script.write_text(json.dumps({"turns": [{"delay": DELAY_MS / 1000}]}), encoding="utf-8")
    command = [sys.executable, "-m", "tests.doubles.ollama", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip() if server.stdout else ""
        finally:
            server.kill()


async def measure_async(folder: Path, url: str) -> list[Figure]:
    walls: list[float] = []
    cpus: list[float] = []
    report: IncidentReport | None = None
    flags = {"model": "ollama:fake:1b", "ollama_url": url, "max_concurrency": SLOTS}
    async with stage(folder, WORKERS, None, **flags) as service:
        crew = team(folder, WORKERS)
        for _ in range(1 + ROUNDS):  # the first one also tries out what the model can do
            begun, used = time.perf_counter(), time.process_time()
            outcome = await service.start(StartRequest(bundle=BUNDLE, team=crew))
            walls.append((time.perf_counter() - begun) * 1000)
            cpus.append((time.process_time() - used) * 1000)
            report = outcome.report
    if report is None:
        raise RuntimeError("the run ended without a report")
    for line in report.degraded:
        print(f"  {line}")
    wall = statistics.median(walls[1:])
    return [
        Figure("model calls of a run", report.usage.model_calls, "calls"),
        Figure("answers that the rules had to give instead", len(report.degraded), "answers", most=0),
        Figure("nobody can be faster", IDEAL, "ms"),
        Figure(f"a run, median of {ROUNDS}", wall, "ms", most=IDEAL * 1.1),
        Figure("processor time of that", statistics.median(cpus[1:]), "ms"),
        Figure("first run of the process, the model is tried out", walls[0], "ms"),
    ]


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name, model_server(Path(name)) as url:
        return asyncio.run(measure_async(Path(name), url))
