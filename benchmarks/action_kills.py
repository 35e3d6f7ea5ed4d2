"""SIGKILL before and after every write and call of an approved action, at a target with each way of lying.

    python -m benchmarks action_kills

Each process is killed, another goes on, and then it counts: how often the target executed the command, whether the
command ended confirmed, denied or in a person's hands, and whether what is said of it is so.
"""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from leadline.contracts.lifecycle import ACTION_OVER
from tests.doubles.lying_target import BEHAVIOURS

from .action_stage import Standing, approve, begin, child, finish, look, reset, runs_of, serve, stage, stop
from .killing import Fatal, Moment
from .table import Figure

MOMENTS: tuple[Moment, ...] = ("before", "after")
NEVER = 10**9


class Tally(NamedTuple):
    kills: int
    repeated: list[str]
    """Executed more often than one request accounts for."""
    open: list[str]
    """Neither confirmed, denied nor in manual review."""
    untrue: list[str]
    """Said to be what it is not."""
    ends: Counter[str]


def torture(url: str, behaviour: str, folder: Path, points: Sequence[int] | None = None) -> Tally:
    """Kill the part from the answer to the end at each of its points, or at the given ones."""
    here = folder / behaviour
    here.mkdir()
    at = stage(here, url, behaviour)
    child(at, begin, Fatal(NEVER, "after"))
    asked = shutil.copy(here / "runs.db", folder / f"{behaviour}.db")
    tally = Tally(0, [], [], [], Counter())
    kills, n = 0, 0
    alive: set[Moment] = set(MOMENTS)
    while alive and (points is None or n < max(points)):
        n += 1
        if points is not None and n not in points:
            continue
        for moment in tuple(alive):
            _again(here, asked)
            reset(url, behaviour)
            if not child(at, approve, Fatal(n, moment)).killed:
                alive.discard(moment)
                continue
            kills += 1
            child(at, finish, Fatal(NEVER, "after"))
            _judge(f"{behaviour}, {moment} point {n}", behaviour, url, look(at), tally)
    return tally._replace(kills=kills)


def _again(here: Path, asked: Path) -> None:
    """The database as it was when the question was asked."""
    for leftover in here.glob("runs.db*"):
        leftover.unlink()
    shutil.copy(asked, here / "runs.db")


def _judge(name: str, behaviour: str, url: str, found: Standing, tally: Tally) -> None:
    state, attempts, key = found
    ran = runs_of(url, behaviour).get(key, 0)
    tally.ends[state] += 1
    if ran > (2 if behaviour == "twice" else 1) or attempts > 1:
        tally.repeated.append(f"{name}: executed {ran} times in {attempts} attempts")
    if state not in ACTION_OVER:
        tally.open.append(f"{name}: {state}")
    if (state == "succeeded" and not ran) or (state in {"failed", "denied"} and ran):
        tally.untrue.append(f"{name}: {state}, executed {ran} times")


def measure(behaviours: Sequence[str] = BEHAVIOURS, points: Sequence[int] | None = None) -> list[Figure]:
    url, server = serve()
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            os.chdir(name)
            tallies = [torture(url, lie, Path(name), points) for lie in behaviours]
    finally:
        os.chdir("/")
        stop(server)
    for lie, tally in zip(behaviours, tallies, strict=True):
        ends = ", ".join(f"{n} {state}" for state, n in sorted(tally.ends.items()))
        print(f"  {lie}: {tally.kills} kills; {ends}")
        for odd in (*tally.repeated, *tally.open, *tally.untrue):
            print(f"    {odd}")
    return [
        Figure("processes killed", sum(t.kills for t in tallies), "kills"),
        Figure("commands executed again", sum(len(t.repeated) for t in tallies), "commands", most=0),
        Figure("commands left open", sum(len(t.open) for t in tallies), "commands", most=0),
        Figure("commands said to be what they are not", sum(len(t.untrue) for t in tallies), "commands", most=0),
    ]
