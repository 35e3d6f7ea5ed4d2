"""Runs that act, in processes of their own, at a target that counts: what the torture of actions stands on."""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from leadline.adapters.targets import web
from leadline.contracts.action import Action, ActionAttempt
from leadline.runtime.actions import answer_action
from leadline.runtime.outcome import PersonAnswer
from leadline.runtime.service import RunService
from tests.doubles.acting import ACT, CATALOG, Stage
from tests.doubles.lying_target import SECRET, LyingServer, LyingTarget

from .killing import Fatal, watch

YES = PersonAnswer(None, "approved", "looks right")
Work = Callable[[RunService], Coroutine[None, None, Any]]


class RealTargets(Stage):
    """With the catalog's own targets instead of one in memory."""

    def parts(self) -> Any:
        from dataclasses import replace  # noqa: PLC0415

        return replace(super().parts(), targets={})


def catalog(folder: Path, url: str, behaviour: str) -> str:
    """The test catalog, its target at the lying server."""
    secret = folder / "secret"
    secret.write_text(f"whsec_{SECRET}", "utf-8")
    target = f"  lying: {{type: http, url: '{url}/{behaviour}', networks: [127.0.0.0/8], secret_file: {secret}}}"
    via = "    via: {type: http, status_path: '/status/{key}', dry_path: /dry-run, outcome_path: '/outcome/{key}'}\n"
    slow = CATALOG.replace("settle_seconds: 0.05", "settle_seconds: 2.0").replace(
        "every_seconds: 0.01", "every_seconds: 0.1"
    )
    return slow.replace("  lying: {type: dry-run}", target).replace(
        "    target: lying\n", "    target: lying\n" + via
    )  # fmt: skip


def stage(folder: Path, url: str, behaviour: str) -> Stage:
    return RealTargets(folder, LyingTarget(), catalog=catalog(folder, url, behaviour))


def serve() -> tuple[str, int]:
    """A lying server in a process of its own: its address, and its id."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        server = LyingServer(late_seconds=0.6)
        os.write(writing, server.url.encode())
        os.close(writing)
        server.serve()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return pipe.read(), pid


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def runs_of(url: str, behaviour: str) -> dict[str, int]:
    """How often the server has executed each key."""
    found: dict[str, int] = httpx.get(f"{url}/{behaviour}/log", trust_env=False).json()["runs"]
    return found


def reset(url: str, behaviour: str) -> None:
    """The server forgets what it did."""
    httpx.post(f"{url}/{behaviour}/reset", content=b"{}", trust_env=False).raise_for_status()


class Ended(NamedTuple):
    killed: bool
    points: int
    """Writes and calls that it made, where it lived to the end."""


def child(at: Stage, work: Work, fatal: Fatal) -> Ended:
    """Do `work` in a process that dies at the given write or call; every import is done, so it starts at once."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            watch(fatal)
            _watch_calls(fatal)
            secrets.token_hex = lambda _n=None: "0badcafe"  # type: ignore[assignment]  # the same run id each time
            asyncio.run(_in_service(at, work))
            (at.folder / "points").write_text(str(fatal.count), "utf-8")
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return Ended(True, fatal.at)
    if status != 0:
        raise RuntimeError(f"a process that was not killed ended with {status}")
    return Ended(False, int((at.folder / "points").read_text("utf-8")))


async def _in_service(at: Stage, work: Work) -> None:
    async with at.open() as service:
        await work(service)


def _watch_calls(fatal: Fatal) -> None:
    """Each request to the target is a point too."""
    ask = web.Web.ask

    async def watched(self: web.Web, *given: Any, **named: Any) -> Any:
        fatal.count += 1
        here = fatal.count
        if (here, fatal.moment) == (fatal.at, "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            return await ask(self, *given, **named)
        finally:
            if (here, fatal.moment) == (fatal.at, "after"):
                os.kill(os.getpid(), signal.SIGKILL)

    web.Web.ask = watched  # type: ignore[method-assign]


async def begin(service: RunService) -> None:
    """Up to the question."""
    await service.start(ACT)


async def approve(service: RunService) -> None:
    (run,) = await service.store.runs()
    await answer_action(service, run.run_id, YES)


async def finish(service: RunService) -> None:
    """What a person does after a crash: go on, answer if asked; start anew where nothing had been begun."""
    runs = await service.store.runs()
    if not runs:
        await begin(service)
        runs = await service.store.runs()
    outcome = await service.resume(runs[0].run_id)
    if outcome.waiting is not None:
        await answer_action(service, runs[0].run_id, YES)


class Standing(NamedTuple):
    state: str
    attempts: int
    key: str


async def standing(service: RunService) -> Standing:
    (run,) = await service.store.runs()
    reader = service.store.reader(run.run_id)
    (action,) = await reader.all(Action)
    return Standing(action.state, len(await reader.all(ActionAttempt)), action.command.idempotency_key)


def look(at: Stage, **settings: str) -> Standing:
    async def work() -> Standing:
        async with at.open(**settings) as service:
            return await standing(service)

    return asyncio.run(work())
