"""Runs a program: an argument list, a fixed environment, no shell, no input, an end."""

import asyncio
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MOST_BYTES = 65_536
"""Kept of each stream; the rest is read and dropped, so that the program never waits for us."""


class Ran(NamedTuple):
    code: int | None
    """None where it was stopped for taking too long."""
    out: bytes
    err: bytes

    @property
    def told(self) -> str:
        """Its last line."""
        text = (self.err or self.out).decode("utf-8", "replace").strip()
        return text.splitlines()[-1][:300] if text else ""


class NotStarted(Exception):
    """It is certain that the program did nothing."""


async def run(argv: Sequence[str], environment: Mapping[str, str], search: Sequence[str], seconds: float) -> Ran:
    """Raise `NotStarted` where there is no such program. One that does not end is killed with all its children."""
    path = os.pathsep.join(search)
    program = shutil.which(argv[0], path=path)
    if program is None:
        raise NotStarted(f"no program {argv[0]!r} in {path}")
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *argv[1:],
            env={"PATH": path, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as fault:
        raise NotStarted(f"{argv[0]!r} cannot be started: {fault}") from fault
    assert process.stdout is not None
    assert process.stderr is not None
    reading = asyncio.gather(_read(process.stdout), _read(process.stderr), process.wait())
    try:
        async with asyncio.timeout(seconds):
            out, err, code = await asyncio.shield(reading)
    except TimeoutError:
        _kill(process.pid)
        out, err, _ = await reading
        return Ran(None, out, err)
    except asyncio.CancelledError:
        _kill(process.pid)
        with suppress(asyncio.CancelledError):
            await reading
        raise
    return Ran(code, out, err)


async def _read(stream: asyncio.StreamReader) -> bytes:
    kept = bytearray()
    while chunk := await stream.read(MOST_BYTES):
        kept += chunk[: MOST_BYTES - len(kept)]
    return bytes(kept)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def running_with(name: str, value: str) -> int | None:
    """The process that was started with this in its environment and still runs; None where none is known."""
    wanted = f"{name}={value}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or is not ours
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                return int(folder.name)
    return None
