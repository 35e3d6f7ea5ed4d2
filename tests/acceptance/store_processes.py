"""Processes that share one database; run as a script, which imports once and forks before it has any thread.

`create PATH N`, `race PATH N ROUNDS`, `kill PATH KILLS SEED`, `stall PATH ROUNDS`: each prints one JSON document.
"""

import asyncio
import json
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import open_store
from leadline.adapters.store.checkpoints import open_checkpointer
from leadline.adapters.store.schema import ensure_schema
from leadline.contracts.approval import ApprovalDecision, ApprovalRequest
from leadline.contracts.base import Digest, RunId
from leadline.contracts.errors import LeadlineError
from leadline.contracts.event import Event
from leadline.contracts.ports import Writes
from leadline.contracts.run import Run, RunConfig
from leadline.contracts.team import AgentSpec, TeamSpec

NOW = datetime(2026, 11, 30, tzinfo=UTC)
CLOCK = SystemClock()


def this_process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def a_run(run_id: str) -> Run:
    lead = AgentSpec(id="lead", description="answers for it", capabilities=("lead",))
    config = RunConfig(
        bundle_path="/b", bundle_digest=Digest("0" * 64), incident_id="inc-1", title="errors", graph_version="star@1",
        structure_hash=Digest("1" * 64), prompt_hashes={}, model="rules", model_reason="asked for", user="ada",
        team=TeamSpec(name="t", version="1", root_owner=lead.id, agents=(lead,)),
    )  # fmt: skip
    return Run(run_id=RunId(run_id), config=config, created_at=NOW, updated_at=NOW)


def a_request(run_id: str, approval_id: str) -> ApprovalRequest:
    return ApprovalRequest(
        approval_id=approval_id, run_id=RunId(run_id), point="plan", question="go?", subject_digest=Digest("2" * 64),
        content={}, risk="low", asked_at=NOW, expires_at=None, on_ignore="it waits",
    )  # fmt: skip


def an_answer(approval_id: str, by: str) -> ApprovalDecision:
    return ApprovalDecision(
        approval_id=approval_id, decision="approved", by=by, subject_digest=Digest("2" * 64), decided_at=NOW
    )


def fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What each of `count` processes got; they start at once and live until the last one has answered."""
    start, end = os.pipe(), os.pipe()
    answers = [os.pipe() for _ in range(count)]

    def child(number: int) -> None:
        os.close(start[1])
        os.close(end[1])
        os.read(start[0], 1)
        os.write(answers[number][1], json.dumps(work(number)).encode() + b"\n")
        os.read(end[0], 1)

    children = [fork(lambda number=number: child(number)) for number in range(count)]  # type: ignore[misc]
    time.sleep(0.01)
    os.close(start[1])
    got = []
    for reading, writing in answers:
        os.close(writing)
        with os.fdopen(reading) as answer:
            got.append(json.loads(answer.readline()))
    os.close(end[1])
    for pid in children:
        os.waitpid(pid, 0)
    os.close(start[0])
    os.close(end[0])
    return got


def create(path: Path, count: int) -> list[str]:
    def make(_: int) -> str:
        try:
            ensure_schema(path, 30.0)
        except LeadlineError as error:
            return str(error)
        return "made"

    return together(count, make)


def race(path: Path, count: int, rounds: int) -> list[dict[str, Any]]:
    """In each round, all take one run and answer one question."""

    async def prepare(run_id: str) -> None:
        async with open_store(path, CLOCK) as store:
            lease = await store.create(a_run(run_id), "starter.invalid:1", 60.0)
            await store.ledger(lease).commit(Writes((a_request(run_id, "apr-1"),)))
            await store.release(lease)

    async def attempt(run_id: str, number: int) -> dict[str, Any]:
        async with open_store(path, CLOCK) as store:
            held = await outcome(store.take(RunId(run_id), this_process(), 60.0))
            answer = an_answer("apr-1", f"p{number}")
            decided = await outcome(store.decide(a_request(run_id, "apr-1"), answer))
            return {"holder": this_process(), "by": answer.by, "took": held, "decided": decided}

    async def outcome(awaitable: Any) -> list[Any]:
        try:
            await awaitable
        except LeadlineError as error:
            return [error.exit_code, str(error)]
        return [0, ""]

    results = []
    for number in range(rounds):
        run_id = f"run-{number}"
        asyncio.run(prepare(run_id))
        results.append(together(count, lambda n, run_id=run_id: asyncio.run(attempt(run_id, n))))  # type: ignore[misc]
    return results  # type: ignore[return-value]


def kill(path: Path, kills: int, seed: int) -> dict[str, Any]:
    """Children write one after another; each is killed at some moment, and nothing it was told is stored may be lost."""
    chosen = random.Random(seed)
    asyncio.run(_first(path))
    told = -1
    for _ in range(kills):
        reading, writing = os.pipe()
        child = fork(lambda writing=writing: asyncio.run(_write_on(path, writing)))  # type: ignore[misc]
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            answer.readline()
            time.sleep(chosen.uniform(0, 0.05))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            lines = answer.read().split()
        told = max([told, *(int(line) for line in lines)])
    return {"told": told, **asyncio.run(_stored(path))}


def stall(path: Path, rounds: int) -> list[dict[str, Any]]:
    """A holder is stopped for longer than its lease, another takes the run, the first wakes up and goes on."""
    results = []
    for number in range(rounds):
        run_id = f"run-{number}"
        reading, writing = os.pipe()
        child = fork(lambda run_id=run_id, writing=writing: asyncio.run(_hold(path, run_id, writing)))  # type: ignore[misc]
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            os.waitpid(child, os.WUNTRACED)
            time.sleep(LEASE + 0.05)
            before, epoch = asyncio.run(_take_over(path, run_id))
            os.kill(child, signal.SIGCONT)
            last = answer.readline().decode()
        os.waitpid(child, 0)
        after = asyncio.run(_events(path, run_id))
        results.append({"before": before, "after": after, "epoch": epoch, "said": last})
    return results


LEASE = 0.15


async def _hold(path: Path, run_id: str, tell: int) -> None:
    async with open_store(path, CLOCK) as store:
        lease = await store.create(a_run(run_id), this_process(), LEASE)
        number = 0
        try:
            while True:
                event = Event(event_id=f"old-{number}", kind="transition", at=NOW)
                await store.ledger(lease).commit(Writes(events=(event,)))
                if number == 3:  # between two commits: a process that is stopped inside of one keeps the file locked
                    os.kill(os.getpid(), signal.SIGSTOP)
                number += 1
        except LeadlineError as error:
            os.write(tell, f"{error.exit_code} {error}\n".encode())


async def _take_over(path: Path, run_id: str) -> tuple[list[str], int]:
    async with open_store(path, CLOCK) as store:
        lease = await store.take(RunId(run_id), this_process(), 60.0)
        ledger = store.ledger(lease)
        await ledger.commit(Writes(events=(Event(event_id="new", kind="run.resumed", at=NOW),)))
        return [event.event_id for event in await ledger.events()], lease.epoch


async def _events(path: Path, run_id: str) -> list[str]:
    async with open_store(path, CLOCK) as store:
        return [event.event_id for event in await store.reader(RunId(run_id)).events()]


async def _first(path: Path) -> None:
    async with open_store(path, CLOCK) as store:
        await store.release(await store.create(a_run("run-1"), this_process(), 3600.0))


async def _write_on(path: Path, tell: int) -> None:
    async with open_store(path, CLOCK) as store:
        lease = await store.take(RunId("run-1"), this_process(), 3600.0)
        ledger = store.ledger(lease)
        async with open_checkpointer(store.database, lease) as saver:
            config: Any = {"configurable": {"thread_id": "run-1", "checkpoint_ns": ""}}
            latest = await saver.aget_tuple(config)
            number = len(await ledger.events())
            os.write(tell, b"ready\n")
            if latest is not None:
                config = latest.config
            while True:
                request = a_request("run-1", f"apr-{number}")
                event = Event(event_id=f"e-{number}", kind="approval.asked", at=NOW)
                await ledger.commit(Writes((request,), (event,)), step=f"s-{number}", update={"n": number})
                checkpoint: Any = {"v": 4, "id": f"{number:06}", "ts": "", "channel_values": {"n": number}}
                config = await saver.aput(config, checkpoint, {"step": number}, {})
                await saver.aput_writes(config, [("n", number)], "task")
                os.write(tell, f"{number}\n".encode())
                number += 1


async def _stored(path: Path) -> dict[str, Any]:
    async with open_store(path, CLOCK) as store:
        await store.check()
        run = await store.run(RunId("run-1"))
        reader = store.reader(run.run_id)
        events = [event.event_id for event in await reader.events()]
        requests = [request.approval_id for request in await reader.all(ApprovalRequest)]
        lease = await store.take(run.run_id, this_process(), 60.0)
        recalled = [await store.ledger(lease).recall(f"s-{n}") for n in range(len(events) + 1)]
        async with open_checkpointer(store.database, lease) as saver:
            config: Any = {"configurable": {"thread_id": "run-1", "checkpoint_ns": ""}}
            latest = await saver.aget_tuple(config)
        numbers = [None if update is None else update["n"] for update in recalled]
        at = -1 if latest is None else latest.checkpoint["channel_values"]["n"]
        return {"events": events, "requests": requests, "steps": numbers, "checkpoint": at, "epoch": run.epoch}


if __name__ == "__main__":
    command, file, *numbers = sys.argv[1:]
    sys.stdout.write(
        json.dumps(
            {"create": create, "race": race, "kill": kill, "stall": stall}[command](Path(file), *map(int, numbers))
        )
    )
