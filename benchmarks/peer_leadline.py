"""leadline in a harness that measures agent frameworks on one job: one planner, six workers, one reviewer.

    python -m benchmarks.peer_leadline HARNESS [--rounds 3] [--mode d0 | d200p4] [--server-python PYTHON]

HARNESS is the folder of the harness (`common.py`, `fakeserver.py`, `peers/`). Its server answers leadline's forms here,
its plain LangGraph peers run beside, each in a fresh process, in turn. The server needs aiohttp: PYTHON names one that
has it.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WORKERS = 6
PLAIN = {"LangGraph, sync SQLite": "sync-chat-sqlite", "LangGraph, async SQLite": "async-chat-sqlite"}
OURS = "leadline, whole run"
PORT = 12031


# --- inside the harness's server --------------------------------------------------------------------------------------
def answer(form: str, prompt: str, job: Any) -> tuple[str, int, Any]:
    """Role, worker and filled form: what a helpful model would say, with the harness's own texts in it."""
    if form == "PlanProposal":
        return "PLANNER", -1, {"why": "six fields of evidence", "tasks": []}
    if form == "NarrativeProposal":
        claims = re.findall(r"clm-[0-9a-f]{12}", prompt)[:1]
        return "REVIEWER", -1, {"sentences": [{"text": job.REPORT[:200], "claims": claims}]}
    if form == "FindingsProposal":
        observed = re.findall(r"obs-[0-9a-f]{12}", prompt)[:1]
        claim = {"fact": 1, "subject": "till", "relation": "rises", "value": 9.0, "why": job.finding(0)[:400]}
        return "WORKER", -1, {"claims": [{"observation": ref, **claim} for ref in observed]}
    return "OTHER", -1, {}


def serve(harness: str, port: int) -> None:
    sys.path.insert(0, harness)
    import fakeserver  # noqa: PLC0415
    import job  # noqa: PLC0415
    from aiohttp import web  # noqa: PLC0415

    theirs, plain_chat = fakeserver.brain, fakeserver.ollama_chat
    asked: ContextVar[str | None] = ContextVar("asked", default=None)

    async def chat(request: Any) -> Any:
        schema = (await request.json()).get("format")
        asked.set(schema.get("title", "") if isinstance(schema, dict) else None)
        return await plain_chat(request)

    def brain(messages: list[dict[str, Any]], tools: Any, mode: dict[str, int]) -> tuple[str, int, str, list[Any]]:
        form = asked.get()
        if form is None:
            return theirs(messages, tools, mode)
        role, index, filled = answer(form, "\n".join(str(m.get("content")) for m in messages), job)
        return role, index, json.dumps(filled), []

    fakeserver.brain, fakeserver.ollama_chat = brain, chat
    web.run_app(fakeserver.app(), host="127.0.0.1", port=port, access_log=None, print=None)


# --- inside the peer's process ----------------------------------------------------------------------------------------
def peer(harness: str) -> None:
    """What the harness calls a peer: `build` gives a `run`; its `common.main` times and counts it."""
    sys.path[:0] = [harness, str(ROOT)]
    import common  # noqa: PLC0415

    from benchmarks.stage import BUNDLE, stage, team  # noqa: PLC0415
    from leadline.runtime.outcome import StartRequest  # noqa: PLC0415

    def build(arguments: Any) -> Any:
        folder = Path(arguments.dir).resolve()
        crew = team(folder, WORKERS)
        arguments.loop = asyncio.new_event_loop()
        flags = {"model": "ollama:fake:latest", "ollama_url": arguments.ollama, "max_concurrency": 4}
        arguments.opened = stage(folder, WORKERS, None, **flags)  # held, or it is closed when it is collected
        service = arguments.loop.run_until_complete(arguments.opened.__aenter__())

        async def run(_thread: str, resume: bool) -> str:  # noqa: FBT001  # the harness calls it so
            if resume:
                (begun, *_) = await service.store.runs()
                outcome = await service.resume(begun.run_id)
            else:
                outcome = await service.start(StartRequest(bundle=BUNDLE, team=crew))
            return " ".join(s.text for s in outcome.report.summary) if outcome.report else ""

        return run

    common.main(build)


# --- outside ----------------------------------------------------------------------------------------------------------
@contextmanager
def server(python: str, harness: Path) -> Iterator[str]:
    command = [python, str(Path(__file__).resolve()), "serve", str(harness), str(PORT)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": ""}) as running:
        try:
            time.sleep(2.0)
            yield f"http://127.0.0.1:{PORT}"
        finally:
            running.kill()


def measured(command: list[str], url: str, mode: str, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    options = ["--server", url, "--mode", mode, "--n", str(WORKERS), "--runs", "3", "--warm", "2", "--dir", str(folder)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    line = next((row for row in done.stdout.splitlines() if row.startswith("RESULT ")), "")
    if not line:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
    return found


def compare(harness: Path, rounds: int, mode: str, server_python: str) -> None:
    peers = {
        **{name: [sys.executable, str(harness / "peers" / "lg.py"), "--variant", v] for name, v in PLAIN.items()},
        OURS: [sys.executable, str(Path(__file__).resolve()), "peer", str(harness)],
    }
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in peers}
    with tempfile.TemporaryDirectory() as scratch, server(server_python, harness) as url:
        for number in range(rounds):
            for position, (name, command) in enumerate(peers.items()):
                results[name].append(measured(command, url, mode, Path(scratch) / f"{number}-{position}"))
    show(results, mode)


def show(results: dict[str, list[dict[str, Any]]], mode: str) -> None:
    def middle(name: str, key: str) -> float:
        return statistics.median(value for row in results[name] for value in row[key])

    floor = middle(next(iter(PLAIN)), "walls")
    print(f"one planner, six workers, one reviewer; server mode {mode}; medians")
    print(f"  {'':<26} {'wall ms':>9} {'over plain':>11} {'cpu ms':>8} {'asked':>6} {'chars':>8} {'shared':>8} right")
    for name, rows in results.items():
        wall, cpu, last = middle(name, "walls"), middle(name, "cpus"), rows[-1]["stats"][-1]
        counts = f"{last['requests']:>6} {last['prompt_chars']:>8} {last['shared_prefix_chars']:>8}"
        right = "yes" if all(ok for row in rows for ok in row["ok"]) else "NO"
        print(f"  {name:<26} {wall:>9.1f} {wall / floor:>11.2f} {cpu:>8.1f} {counts} {right}")


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        return serve(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1:2] == ["peer"]:
        harness = sys.argv[2]
        del sys.argv[1:3]  # the harness reads the rest
        return peer(harness)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("harness", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mode", default="d0")
    parser.add_argument("--server-python", default=sys.executable)
    chosen = parser.parse_args()
    return compare(chosen.harness.resolve(), chosen.rounds, chosen.mode, chosen.server_python)


if __name__ == "__main__":
    main()
