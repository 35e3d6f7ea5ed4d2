import asyncio
import os
import signal
import subprocess
import sys

import pytest

from leadline.app.cli.interrupted import Interrupted
from leadline.app.cli.signals import run_async


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_work_in_good_order(number):
    kept = []

    async def work():
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(10)
        finally:
            kept.append("released")

    with pytest.raises(Interrupted) as stopped:
        run_async(work())
    assert (kept, stopped.value.exit_code) == (["released"], 128 + number)


def test_work_gives_its_result_and_its_own_errors():
    async def good():
        return 7

    async def bad():
        raise LookupError

    assert run_async(good()) == 7
    with pytest.raises(LookupError):
        run_async(bad())


def test_a_second_signal_ends_at_once():
    script = (
        "import asyncio, os, signal\n"
        "from leadline.app.cli.signals import run_async\n"
        "async def work():\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    try:\n"
        "        await asyncio.sleep(30)\n"
        "    finally:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        await asyncio.sleep(30)\n"
        "run_async(work())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=10, check=False)
    assert done.returncode == 130
