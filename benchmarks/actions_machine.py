"""The state machine of people, clocks and crashes, for 2,000 histories.

python -m benchmarks actions_machine
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from .table import Figure

EXAMPLES = 2000
ROOT = Path(__file__).parent.parent


def measure() -> list[Figure]:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--timeout=3600", "tests/property/test_actions_machine.py"],
        cwd=ROOT, env={**os.environ, "LEADLINE_EXAMPLES": str(EXAMPLES)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout[-4000:])
    return [
        Figure("histories", EXAMPLES, "histories"),
        Figure("seconds", time.monotonic() - begun, "s"),
        Figure("histories in which something ran that may not", done.returncode, "", most=0),
    ]
