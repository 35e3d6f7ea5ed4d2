"""The benchmarks still run, and what one of them found stays mended."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
NAMES = tuple(sorted(p.stem for p in (ROOT / "benchmarks").glob("*.py") if not p.stem.startswith("__")))


def run(script: str) -> Any:
    """In a process of its own: some fork, all change the process that they run in. The last line printed is JSON."""
    done = subprocess.run(
        [sys.executable, "-c", f"import json\n{script}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_benchmark_can_be_loaded() -> None:
    assert run(
        f"import importlib\nprint(json.dumps([importlib.import_module('benchmarks.' + n).__doc__ != '' for n in {NAMES}]))"
    )


@pytest.mark.timeout(300)
def test_a_run_that_is_killed_at_a_write_ends_in_the_same_report() -> None:
    """At every seventh commit; `python -m benchmarks kill_matrix` takes them all."""
    figures = run("from benchmarks.kill_matrix import measure\nprint(json.dumps(measure(every=7)))")
    told = {what: value for what, value, *_ in figures}
    assert told["processes killed"] >= 20
    assert told["reports that differ"] == 0
    assert told["runs lost after they had begun"] == 0
