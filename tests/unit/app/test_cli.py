"""The command line's own promises: lazy, clear about errors, one exit code each."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.app.cli import exit_codes
from leadline.app.cli.commands import SECTIONS
from leadline.app.cli.failures import tell_failure
from leadline.app.cli.interrupted import Interrupted
from leadline.app.cli.lazy import Entry
from leadline.app.cli.main import run
from leadline.app.cli.session import Session
from leadline.contracts.errors import BudgetSpent, RunHeld, StoreError, UnknownRun
from leadline.examples import DEMO

ROOT = Path(__file__).parents[3]
ENTRIES = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


@pytest.fixture
def call(capsys, tmp_path):
    """Run a command on a database of its own: (exit code, stdout, stderr)."""

    def called(*arguments):
        code = run(["--database", str(tmp_path / "leadline.db"), *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return called


def test_the_help_loads_nothing_heavy():
    script = (
        "import sys\n"
        "from leadline.app.cli.main import run\n"
        "assert run(['--help']) == 0\n"
        "heavy = {'langgraph', 'langchain_core', 'duckdb', 'sqlalchemy', 'numpy', 'pydantic', 'rich', 'jinja2', 'httpx', 'asyncio'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or None)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_commands_that_look_do_not_load_the_graph_library(tmp_path):
    script = (
        "import sys\n"
        "from leadline.app.cli.main import run\n"
        "for command in ('runs', 'show', 'report', 'evidence', 'events', 'decisions'):\n"
        f"    run(['--database', {str(tmp_path / 'l.db')!r}, command, *(['run-x'] if command != 'runs' else [])])\n"
        "sys.exit(' '.join({'langgraph', 'langchain_core', 'duckdb'} & set(sys.modules)) or None)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_command_has_help_that_begins_as_the_list_says(name, call):
    entry: Entry = ENTRIES[name]
    code, out, _ = call(name, "--help")
    assert code == 0
    assert out.startswith(f"Usage: leadline {name} ")
    assert entry.help in " ".join(out.split())


def test_help_fits_eighty_columns(call):
    assert max(len(line) for line in call("--help")[1].splitlines()) <= 80


@pytest.mark.parametrize("place", ["before", "after"])
def test_common_options_may_stand_on_either_side(place, tmp_path, capsys):
    database = ["--database", str(tmp_path / "here.db")]
    assert run([*database, "runs"] if place == "before" else ["runs", *database]) == 0
    assert capsys.readouterr().out == "no runs yet; start one with: leadline investigate BUNDLE\n"
    assert (tmp_path / "here.db").exists()


@pytest.mark.parametrize(
    ("arguments", "what", "next_"),
    [
        (["invesigate"], "No such command 'invesigate'. Did you mean 'investigate'?", "leadline --help"),
        (["runs", "--nope"], "No such option: --nope", "leadline runs --help"),
        (["investigate"], "Missing argument 'BUNDLE'", "leadline investigate --help"),
        (["runs", "-o", "xml"], "'xml'", "leadline runs --help"),
        (["bundle"], "Missing command", "leadline bundle --help"),
        (["show", "run-0"], "unknown run 'run-0'", "leadline runs"),
        (["resume", "x", "--approve", "--reject", "no"], "one answer at a time", ""),
        (["resume", "x", "--reason", "why"], "no answer was given", "--approve"),
        (["evidence", "x", "--rerun"], "--rerun needs an observation", "leadline evidence x"),
        (["graph", "moon@9"], "unknown graph version 'moon@9'", "leadline graph"),
        (["bundle", "import", "tape", "src", "--out", "out"], "unknown format 'tape'", ""),
        (["agents", "--team", "none.yaml"], "team file 'none.yaml' cannot be read", "docs/team-file.md"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_gets_one_clear_error_and_code_two(arguments, what, next_, call):
    code, out, err = call(*arguments)
    assert (code, out) == (exit_codes.USAGE, "")
    assert err.startswith("error: ")
    assert what in err
    assert next_ in err.partition("next: ")[2] if next_ else True
    assert "Traceback" not in err


def test_a_bundle_that_is_none_is_refused_before_a_run_exists(call, tmp_path):
    code, _, err = call("investigate", tmp_path, "--model", "rules")
    assert code == 2
    assert "is no bundle" in err
    assert "no runs yet" in call("runs")[1]


def test_a_store_that_cannot_be_used_is_code_74(tmp_path, capsys):
    (tmp_path / "file").write_text("not a database, surely" * 100)
    assert run(["--database", str(tmp_path / "file"), "runs"]) == 74
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (UnknownRun("unknown run 'x'", why="none has that id", hint="leadline runs"), 2,
         "error: unknown run 'x'\n  why: none has that id\n  next: leadline runs\n"),
        (StoreError("the disk is full"), 74, "error: the disk is full\n"),
        (RunHeld("run-1 is held by host:1"), 75, "error: run-1 is held by host:1\n"),
        (BudgetSpent("seconds: 3 of 3"), 124, "error: budget spent: seconds: 3 of 3\n  next: leadline resume run-1\n"),
        (Interrupted(2), 130, "error: stopped by SIGINT\n  next: leadline resume run-1\n"),
        (Interrupted(15), 143, "error: stopped by SIGTERM\n  next: leadline resume run-1\n"),
        (KeyError("k\x1b[2J"), 1, "error: unexpected KeyError\n  why: 'k\\x1b[2J'\n  next: leadline retry run-1; --debug shows where it happened\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)  # fmt: skip
def test_failures_are_told_as_what_why_and_next(failure, code, told, capsys):
    assert tell_failure(failure, Session(run_id="run-1")) == code
    assert capsys.readouterr().err == told


def test_debug_shows_where_it_happened(capsys):
    with pytest.raises(ValueError) as raised:
        int("odd")
    assert tell_failure(raised.value, Session(debug=True)) == 1
    err = capsys.readouterr().err
    assert 'int("odd")' in err
    assert "error: unexpected ValueError\n  why: invalid literal" in err


def test_exit_codes_are_documented_as_they_are(call):
    code, out, _ = call("help-exit-codes")
    assert code == 0
    printed = {int(m[1]): m[2] for m in re.finditer(r"^ *(\d+)  (.+)$", out, re.MULTILINE)}
    table = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = {int(m[1]): m[2] for m in re.finditer(r"^\| (\d+) \| (.+?) \|", table, re.MULTILINE)}
    assert printed == documented == dict(exit_codes.EXIT_CODES)
    assert set(documented) == {0, 1, 2, 3, 5, 74, 75, 124, 129, 130, 143}


def test_every_command_and_option_is_documented(call):
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in ENTRIES:
        assert f"leadline {name}" in text, name
        for option in set(re.findall(r"(--[a-z][a-z-]+)", call(name, "--help")[1])) - {"--help"}:
            assert option in text, f"{name} {option}"


def test_graphs_and_agents_can_be_looked_at(call):
    assert "star@1" in call("graph")[1]
    assert "intake -> decompose" in call("graph", "star@1")[1]
    assert call("graph", "star@1", "--format", "mermaid")[1].startswith("---\n")
    assert "metrics_analyst" in call("agents")[1]
    assert '"schema": 1' in call("agents", "-o", "json")[1]


def test_the_doctor_finds_a_broken_store(tmp_path, capsys):
    (tmp_path / "broken.db").write_text("no database" * 500)
    assert run(["--database", str(tmp_path / "broken.db"), "doctor"]) == 1
    assert re.search(r"^fail  store", capsys.readouterr().out, re.MULTILINE)


def test_a_bundle_is_checked_and_packed(call, tmp_path):
    code, out, _ = call("bundle", "check", DEMO)
    assert code == 0
    assert re.search(r"^resources +not in the bundle ", out, re.MULTILINE)
    checked = json.loads(call("bundle", "check", DEMO, "-o", "json")[1])
    assert {c["source"]: c["status"] for c in checked["coverage"]}["logs"] == "ok"
    code, out, _ = call("bundle", "pack", DEMO, "--out", tmp_path / "packed", "-o", "json")
    assert code == 0
    packed = json.loads(out)
    assert packed["packed_from"] == checked["digest"]
    again = json.loads(call("bundle", "check", tmp_path / "packed", "-o", "json")[1])
    assert again["digest"] == packed["digest"]
    assert [c["rows"] for c in again["coverage"]] == [c["rows"] for c in checked["coverage"]]


def test_a_bundle_with_a_broken_source_is_code_three(call, tmp_path):
    shutil.copytree(DEMO, tmp_path / "bundle")
    (tmp_path / "bundle" / "resources.csv").write_text("")
    code, out, _ = call("bundle", "check", tmp_path / "bundle")
    assert code == 3
    assert re.search(r"^resources +there, but empty ", out, re.MULTILINE)
