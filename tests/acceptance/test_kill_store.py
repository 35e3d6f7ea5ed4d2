"""Several processes on one database: at most one holds a run, and a killed one loses nothing that was stored."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parent / "store_processes.py"


def _processes(command: str, path: Path, *numbers: int) -> Any:
    called = [sys.executable, str(SCRIPT), command, str(path), *map(str, numbers)]
    done = subprocess.run(called, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_new_database_is_created_once_by_eight_at_once(tmp_path: Path) -> None:
    for n in range(2):
        assert _processes("create", tmp_path / f"{n}.db", 8) == ["made"] * 8


@pytest.mark.parametrize("count", [2, 4, 8])
def test_one_of_many_takes_a_run_and_one_answers(tmp_path: Path, count: int) -> None:
    for results in _processes("race", tmp_path / "leadline.db", count, 4):
        assert len(results) == count
        (winner,) = (result for result in results if result["took"][0] == 0)
        (answered,) = (result for result in results if result["decided"][0] == 0)
        for result in results:
            if result is not winner:
                code, message = result["took"]
                assert code == 75
                assert f"held by '{winner['holder']}' until " in message
            if result is not answered:
                code, message = result["decided"]
                assert code == 2
                assert f"'{answered['by']}' answered 'approved'" in message


def test_kill_9_at_any_moment_leaves_whole_commits_in_order(tmp_path: Path) -> None:
    kills = 16
    found = _processes("kill", tmp_path / "leadline.db", kills, 2041)
    written = len(found["events"])
    assert written > kills
    assert found["told"] < written <= found["told"] + 1 + kills
    assert found["events"] == [f"e-{n}" for n in range(written)]
    assert found["requests"] == [f"apr-{n}" for n in range(written)]
    assert found["steps"] == [*range(written), None]
    assert found["told"] <= found["checkpoint"] <= written - 1
    assert found["epoch"] == kills + 1


def test_a_holder_that_was_stopped_past_its_lease_writes_nothing_more(tmp_path: Path) -> None:
    for result in _processes("stall", tmp_path / "leadline.db", 6):
        assert result["epoch"] == 2
        assert result["before"][-1] == "new"
        assert result["after"] == result["before"]
        assert result["said"].startswith("75 ")
        assert "is not held by" in result["said"]
