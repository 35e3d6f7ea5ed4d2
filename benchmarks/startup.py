"""How long `leadline --help` takes in a fresh process: it must feel instant."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from .table import Figure

RUNS = 11
LIMIT_MS = 300.0


def once(*arguments: str) -> float:
    command = Path(sys.executable).parent / "leadline"
    begun = time.perf_counter()
    subprocess.run([command, *arguments], check=True, capture_output=True)
    return (time.perf_counter() - begun) * 1000


def bare() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return (time.perf_counter() - begun) * 1000


def measure() -> list[Figure]:
    once("--help")  # compiles what was just installed
    helped = statistics.median(once("--help") for _ in range(RUNS))
    python = statistics.median(bare() for _ in range(RUNS))
    return [
        Figure(f"`leadline --help`, median of {RUNS}", helped, "ms", most=LIMIT_MS),
        Figure("an empty Python beside it", python, "ms"),
    ]
