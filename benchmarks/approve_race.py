"""Two, four and eight processes approve one request: it is executed once, and the losers hear who won.

    python -m benchmarks approve_race

`LEADLINE_ROUNDS` sets how many rounds each number of processes gets (1,000).
"""

import asyncio
import os
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from leadline.contracts.errors import ApprovalRefused, RunHeld
from leadline.runtime.actions import answer_action
from leadline.runtime.service import RunService

from .action_stage import YES, begin, look, runs_of, serve, stage, stop
from .table import Figure

ROUNDS = int(os.environ.get("LEADLINE_ROUNDS", "1000"))
BEHAVIOUR = "honest"


def race(folder: Path, url: str, count: int, tenant: str) -> list[str]:
    """What each of them was told, in no order."""
    at = stage(folder, url, BEHAVIOUR)
    asyncio.run(_work(at, tenant, begin))
    start = time.monotonic() + 0.05
    pids = [_contender(folder, at, tenant, n, start) for n in range(count)]
    for pid in pids:
        os.waitpid(pid, 0)
    return [(folder / f"told-{n}").read_text("utf-8") for n in range(count)]


def _contender(folder: Path, at: Any, tenant: str, n: int, start: float) -> int:
    pid = os.fork()
    if pid:
        return pid
    told = "it broke"
    try:
        time.sleep(max(0.0, start - time.monotonic()))
        told = asyncio.run(_work(at, tenant, _approve))
    except BaseException:
        told = f"it broke: {traceback.format_exc()}"
        raise
    finally:
        (folder / f"told-{n}").write_text(told, "utf-8")
        os._exit(0)


async def _approve(service: RunService) -> str:
    (run,) = await service.store.runs()
    try:
        done = await answer_action(service, run.run_id, YES)
    except (ApprovalRefused, RunHeld) as refused:
        return f"lost: {refused}"
    return f"won: {done.run.state}"


async def _work(at: Any, tenant: str, work: Any) -> Any:
    async with at.open(tenant=tenant) as service:
        return await work(service)


def measure(rounds: int = ROUNDS, counts: tuple[int, ...] = (2, 4, 8)) -> list[Figure]:
    url, server = serve()
    wrong, silent, figures = list[str](), list[str](), list[Figure]()
    try:
        for count in counts:
            begun = time.monotonic()
            for n in range(rounds):
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
                    os.chdir(name)
                    _round(Path(name), url, count, f"race-{count}-{n}", wrong, silent)
                    os.chdir("/")
            figures.append(Figure(f"{count} processes, a round", (time.monotonic() - begun) * 1000 / rounds, "ms"))
    finally:
        stop(server)
    for odd in (*wrong, *silent)[:20]:
        print(f"  {odd}")
    return [
        *figures,
        Figure("rounds", rounds * len(counts), "rounds"),
        Figure("rounds not executed exactly once", len(wrong), "rounds", most=0),
        Figure("losers who did not hear who won", len(silent), "losers", most=0),
    ]


def _round(folder: Path, url: str, count: int, tenant: str, wrong: list[str], silent: list[str]) -> None:
    told = race(folder, url, count, tenant)
    won = [t for t in told if t.startswith("won: concluded")]
    found = look(stage(folder, url, BEHAVIOUR), tenant=tenant)
    ran = runs_of(url, BEHAVIOUR).get(found.key, 0)
    if (len(won), ran, found.state, found.attempts) != (1, 1, "succeeded", 1):
        wrong.append(f"{tenant}: {len(won)} won, executed {ran} times, {found.state}: {told}")
    silent += [f"{tenant}: {t}" for t in told if t not in won and ("ada" not in t or "approved" not in t)]
