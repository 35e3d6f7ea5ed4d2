"""SIGKILL before and after every commit of one scripted run with one approval: each resume must end in the same report.

    python -m benchmarks kill_matrix

Every write of checkpoint, ledger and lease is a commit of SQLite. One run is killed at each of them, before and after,
then resumed in a new process, approved, and compared with a run that was left alone: byte for byte, seconds aside.
"""

import asyncio
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import NamedTuple

from leadline.contracts.proposal import NarrativeProposal, PlanProposal, ProposedTask
from leadline.contracts.report import IncidentReport
from leadline.runtime.outcome import PersonAnswer, RunOutcome, StartRequest
from leadline.runtime.service import RunService

from .killing import Fatal, Moment, watch
from .stage import BUNDLE, scripted, stage, team
from .table import Figure

WORKERS = 3
SCRIPT = {
    PlanProposal: PlanProposal(
        why="the till again, by itself",
        tasks=[ProposedTask(title="The till alone", goal="look", capability="check_0", needs=[], services=["till"])],
    ),
    NarrativeProposal: NarrativeProposal(sentences=[]),
}
APPROVE = PersonAnswer(None, "approved", "looks right")
MOMENTS: tuple[Moment, ...] = ("before", "after")
NEVER = 10**9
FEWEST = 5
"""Commits of a run's part; with less the counting is broken, not the store."""

Work = Callable[[RunService, Path], Coroutine[None, None, RunOutcome | None]]


async def begin(service: RunService, folder: Path) -> RunOutcome:
    """Up to the approval."""
    return await service.start(StartRequest(bundle=BUNDLE, team=folder / "team.yaml", ask=frozenset({"report"})))


async def approve(service: RunService, _folder: Path) -> RunOutcome:
    (run,) = await service.store.runs()
    return await service.resume(run.run_id, APPROVE)


async def finish(service: RunService, folder: Path) -> RunOutcome:
    """What a person does after a crash: go on, answer if asked; start anew where nothing had been begun."""
    runs = await service.store.runs()
    if not runs:
        (folder / "lost").touch()
        outcome = await begin(service, folder)
    else:
        outcome = await service.resume(runs[0].run_id)
    if outcome.waiting is not None:
        outcome = await service.resume(outcome.run.run_id, APPROVE)
    (folder / "report.json").write_text(_comparable(outcome), encoding="utf-8")
    return outcome


def _comparable(outcome: RunOutcome) -> str:
    report = outcome.report
    if report is None:
        return f"no report, exit code {outcome.exit_code}"
    timeless = report.model_copy(update={"usage": report.usage.model_copy(update={"seconds": 0.0})})
    return (
        f"{outcome.exit_code} {outcome.run.state}\n{IncidentReport.model_dump_json(timeless, by_alias=True, indent=1)}"
    )


class Ended(NamedTuple):
    killed: bool
    commits: int


def child(folder: Path, work: Work, fatal: Fatal) -> Ended:
    """Do `work` in a process of its own, on the database in `folder`; all imports are done, so it starts at once."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            watch(fatal)
            secrets.token_hex = lambda _n=None: "0badcafe"  # type: ignore[assignment]  # the same run id each time
            asyncio.run(_on_stage(folder, work))
            (folder / "commits").write_text(str(fatal.count), encoding="utf-8")
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return Ended(True, fatal.at)
    if status != 0:
        raise RuntimeError(f"a process that was not killed ended with {status}")
    return Ended(False, int((folder / "commits").read_text(encoding="utf-8")))


async def _on_stage(folder: Path, work: Work) -> None:
    async with stage(folder, WORKERS, scripted(SCRIPT)) as service:
        await work(service, folder)


class Tally(NamedTuple):
    kills: int
    different: list[str]
    lost: list[str]


def torture(whole: Path, work: Work, wanted: str, start: Path | None, every: int) -> Tally:
    """Kill `work` at its commits; `start` is a database to begin with."""
    kills, different, lost, at = 0, list[str](), list[str](), 1 - every
    alive: set[Moment] = set(MOMENTS)
    while alive:
        at += every
        for moment in tuple(alive):
            folder = whole / f"{work.__name__}-{at}-{moment}"
            shutil.copytree(start, folder) if start else folder.mkdir()
            team(folder, WORKERS)
            if not child(folder, work, Fatal(at, moment)).killed:
                alive.discard(moment)
                continue
            kills += 1
            child(folder, finish, Fatal(NEVER, "after"))
            if (folder / "report.json").read_text(encoding="utf-8") != wanted:
                different.append(folder.name)
            if (folder / "lost").exists():
                lost.append(folder.name)
            else:
                shutil.rmtree(folder)
    return Tally(kills, different, lost)


def measure(every: int = 1) -> list[Figure]:
    """All kills, or those at every so many-th commit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        whole = Path(name)
        calm = whole / "calm"
        calm.mkdir()
        team(calm, WORKERS)
        writes = child(calm, begin, Fatal(NEVER, "after")).commits
        waiting = shutil.copytree(calm, whole / "waiting")
        more = child(calm, finish, Fatal(NEVER, "after")).commits
        wanted = (calm / "report.json").read_text(encoding="utf-8")
        if min(writes, more) < FEWEST:
            raise RuntimeError(
                f"only {writes} and {more} commits were seen: benchmarks/killing.py watches the wrong place"
            )
        first = torture(whole, begin, wanted, None, every)
        second = torture(whole, approve, wanted, waiting, every)
    for odd in (*first.different, *second.different):
        print(f"  another report after {odd}")
    for odd in first.lost:
        print(f"  nothing was begun: {odd}")
    return [
        Figure("commits up to the approval", writes, "commits"),
        Figure("commits from the approval to the end", more, "commits"),
        Figure("processes killed", first.kills + second.kills, "kills"),
        Figure("reports that differ", len(first.different) + len(second.different), "reports", most=0),
        Figure("runs lost after they had begun", len(second.lost), "runs", most=0),
        Figure("kills before the run's first row", len(first.lost), "kills"),
    ]
