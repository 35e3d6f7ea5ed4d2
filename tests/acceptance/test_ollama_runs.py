"""The real command against a server that speaks Ollama's wire protocol, each in a process of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from leadline import examples

ROOT = Path(__file__).parents[2]
BUNDLE = Path(examples.__path__[0]) / "incidents" / "ferry-bookings" / "bundle"
pytestmark = pytest.mark.timeout(300)


@contextmanager
def ollama(tmp_path: Path, **script: Any) -> Iterator[str]:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"models": ["fake:1b"], **script}))
    command = [sys.executable, str(ROOT / "tests" / "doubles" / "ollama.py"), str(file), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            yield found.group()
        finally:
            server.kill()


def investigate(tmp_path: Path, url: str, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LEADLINE_DATABASE": str(tmp_path / "runs.db"), "LEADLINE_OLLAMA_URL": url}
    command = [sys.executable, "-m", "leadline", "investigate", str(BUNDLE), "-o", "json", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240, check=False)


def first_cause(report: dict[str, Any]) -> tuple[str, str]:
    return report["causes"][0]["kind"], report["causes"][0]["ref"]


def alone(report: dict[str, Any]) -> tuple[str, str]:
    return report["without_model"]["causes"][0]["kind"], report["without_model"]["causes"][0]["ref"]


def test_a_model_that_answers_drives_a_whole_run(tmp_path: Path) -> None:
    with ollama(tmp_path) as url:
        done = investigate(tmp_path, url)
        asked = httpx.get(f"{url}/double/requests").json()
    report = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0].startswith("proposer: ollama:fake:1b")
    assert report["degraded"] == []
    assert report["usage"]["model_calls"] >= 5
    assert report["usage"]["tokens_in"] > 1000
    assert report["usage"]["tokens_out"] > 0
    chats = [r for r in asked if r["path"] == "/api/chat"] if "path" in asked[0] else asked
    assert len(chats) >= report["usage"]["model_calls"]
    assert first_cause(report) == alone(report)


def test_one_repair_one_cut_prompt_and_one_answer_in_prose(tmp_path: Path) -> None:
    turns = [
        {"form": "PlanProposal", "to": 1, "text": '{"why": 1}'},
        {"form": "FindingsProposal", "to": 1, "prompt_eval_count": "half_context"},
        {"form": "ProbeProposal", "to": 2, "prose": True},
    ]  # fmt: skip
    with ollama(tmp_path, turns=turns) as url:
        done = investigate(tmp_path, url, "--model", "ollama:fake:1b")
    report = json.loads(done.stdout)
    told = " ".join(report["degraded"])
    assert done.returncode == 3
    assert "PlanProposal" not in told  # repaired in the second round
    assert "cut_prompt" in told
    assert "format_ignored" in told or "not_json" in told
    assert first_cause(report) == alone(report)


def test_a_server_that_goes_down_in_the_middle_costs_no_report(tmp_path: Path) -> None:
    with ollama(tmp_path, down_after=3) as url:
        done = investigate(tmp_path, url)
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert any("down" in line for line in report["degraded"])
    assert first_cause(report) == alone(report)


def test_a_server_that_is_down_at_the_start_leaves_the_rules(tmp_path: Path) -> None:
    done = investigate(tmp_path, "http://127.0.0.1:9")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert done.stderr.startswith("proposer: rules (no Ollama answers")
    assert report["proposer"] == "rules"


def test_a_model_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with ollama(tmp_path) as url:
        done = investigate(tmp_path, url, "--model", "ollama:other:7b")
    assert done.returncode == 2
    assert "fake:1b" in done.stderr
    assert done.stdout == ""
