"""Actions and real processes: killed with SIGKILL around the call, and several that approve at once.

Short versions of `python -m benchmarks action_kills` and `approve_race`.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def figures(code: str) -> dict[str, float]:
    wrapped = f"{code}\nfor f in found: print(f.what, '=', f.value, f.kept, flush=True)"
    done = subprocess.run(
        [sys.executable, "-c", wrapped], cwd=ROOT, capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split(" = ") for line in done.stdout.splitlines() if " = " in line]
    assert all(rest.endswith("True") for _, rest in lines), done.stdout
    return {what: float(rest.split()[0]) for what, rest in lines}


def test_a_killed_process_never_repeats_a_call() -> None:
    """Around the intent, the call and the receipt, at a target that executes and drops the connection."""
    found = figures("from benchmarks.action_kills import measure\nfound = measure(('drops',), (6, 7, 8))")
    assert found["processes killed"] == 6
    assert found["commands executed again"] == 0


def test_one_of_many_who_approve_at_once_is_the_one() -> None:
    found = figures("from benchmarks.approve_race import measure\nfound = measure(2, (4,))")
    assert found["rounds not executed exactly once"] == found["losers who did not hear who won"] == 0
