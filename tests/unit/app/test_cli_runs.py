"""Real investigations of the shipped incident, through the command line, with no model."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.app.cli.main import run
from leadline.app.visible import visible
from leadline.contracts.report import IncidentReport
from leadline.examples import DEMO

LEADLINE = [sys.executable, "-c", "from leadline.app.cli import main; main()"]


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    return tmp_path_factory.mktemp("cli") / "leadline.db"


@pytest.fixture
def call(capsys, database):
    def called(*arguments):
        code = run(["--database", str(database), *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return called


@pytest.fixture(scope="module")
def concluded(database):
    """A concluded run's report as JSON, and what was said on stderr."""
    done = subprocess.run(
        [*LEADLINE, "--database", database, "investigate", DEMO, "--model", "rules", "-o", "json"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture
def waiting(call):
    """A run that waits for the approval of its report."""
    code, out, _ = call("investigate", DEMO, "--model", "rules", "--ask", "report", "--no-wait", "-o", "json")
    assert code == 5
    return json.loads(out)


def test_the_report_goes_to_stdout_and_the_talk_to_stderr(concluded):
    report, talk = concluded
    assert IncidentReport.model_validate(report).status == "concluded"
    lines = talk.splitlines()
    assert lines[0] == "proposer: rules (asked for)"
    assert lines[1].startswith(f"run {report['run']}: ")
    assert re.search(r"^ +\d+\.\d s  .+ \(metrics_analyst\): running$", talk, re.MULTILINE)
    assert re.match(r"\d+ of \d+ tasks done, \d+ questions to the data, ", lines[-1])
    assert "\x1b" not in talk


def test_every_claim_can_be_asked_again(concluded, call):
    report, _ = concluded
    observations = {o for claim in report["claims"] for o in claim["observations"]}
    code, out, _ = call("evidence", report["run"], "-o", "json")
    listed = json.loads(out)["observations"]
    assert code == 0
    assert observations <= {o["observation"] for o in listed}
    first = report["claims"][0]["observations"][0]
    code, out, _ = call("evidence", report["run"][:8], first, "--rerun")
    assert code == 0
    assert "asked again: the same, byte for byte" in out
    assert report["claims"][0]["id"] in out


def test_a_rerun_on_changed_data_says_so(call, tmp_path):
    bundle = tmp_path / "bundle"
    shutil.copytree(DEMO, bundle)
    code, out, _ = call("investigate", bundle, "--model", "rules", "-o", "json", "-q")
    assert code == 0
    report = json.loads(out)
    listed = json.loads(call("evidence", report["run"], "-o", "json")[1])["observations"]
    logs = next(o["observation"] for o in listed if o["probe"].startswith("log") and o["status"] == "ok")
    source = next(path for path in bundle.iterdir() if path.name.startswith("logs"))
    kept = source.read_text(encoding="utf-8").splitlines(keepends=True)
    source.write_text("".join(kept[: len(kept) // 3]), encoding="utf-8")
    code, out, _ = call("evidence", report["run"], logs, "--rerun")
    assert code == 1
    assert "asked again: another one" in out


@pytest.mark.parametrize(("form", "start"), [("md", "# "), ("html", "<!DOCTYPE html>"), ("table", "CAUSE FOUND")])
def test_a_report_can_be_written_to_a_file(form, start, concluded, call, tmp_path):
    out = tmp_path / "report"
    assert call("report", concluded[0]["run"], "--format", form, "--out", out)[:2] == (0, "")
    assert out.read_text(encoding="utf-8").startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_file_that_cannot_be_written_is_a_clear_error(concluded, call, tmp_path):
    code, _, err = call("report", concluded[0]["run"], "--out", tmp_path / "none" / "report.md")
    assert code == 2
    assert "cannot be written" in err


def test_runs_show_and_events_agree(concluded, call):
    run_id = concluded[0]["run"]
    listed = json.loads(call("runs", "-o", "json")[1])["runs"]
    assert [r["state"] for r in listed if r["run"] == run_id] == ["concluded"]
    shown = call("show", run_id)[1]
    assert re.search(r"^state +concluded$", shown, re.MULTILINE)
    assert re.search(r"^merged +metrics_analyst +1 ", shown, re.MULTILINE)
    assert shown.rstrip().endswith(f"next: leadline report {run_id}")
    events = [json.loads(line) for line in call("events", run_id, "-o", "json")[1].splitlines()]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert events[-1]["kind"] == "run.concluded"
    later = call("events", run_id, "--since-seq", len(events) - 1, "--follow")[1]
    assert later.count("\n") == 1
    assert "run.concluded" in later


def test_who_was_chosen_and_why_can_be_read(concluded, call):
    run_id = concluded[0]["run"]
    told = call("show", run_id, "--assignments")[1]
    assert "metrics_analyst as primary" in told
    assert re.search(r"not: lacks \w+", told)
    assert re.search(r"^SCORE OF +TOTAL", told, re.MULTILINE)
    assert "output_contract:" in call("show", run_id, "--tasks")[1]
    assert "no model was asked in this run" in call("show", run_id, "--prompts")[1]


def test_a_waiting_run_names_itself_and_the_next_command(call, waiting):
    run_id, approval = waiting["run"], waiting["waiting"]["approval_id"]
    assert (waiting["schema"], waiting["status"]) == (1, "waiting")
    code, out, _ = call("resume", run_id, "--no-wait", "-q")
    assert code == 5
    assert f"run {run_id} waits for a person" in out
    assert f"  leadline resume {run_id} --approval {approval} --approve" in out.splitlines()
    assert out.index("Submit this report?") < out.index("risk  ") < out.index("if nobody answers")
    assert call("show", run_id)[1].count(f"--approval {approval}") == 3


def test_an_answer_counts_once(call, waiting):
    run_id, approval = waiting["run"], waiting["waiting"]["approval_id"]
    assert call("resume", run_id, "--approval", "apr-0", "--approve")[0] == 2
    code, _, err = call("resume", run_id, "--reject", "  ")
    assert code == 2
    assert "needs a reason" in err
    code, out, _ = call("resume", run_id, "--approve", "--reason", "reads well", "-o", "json", "-q")
    assert code == 0
    assert json.loads(out)["status"] == "concluded"
    code, _, err = call("resume", run_id, "--approval", approval, "--reject", "second thoughts")
    assert code == 2
    assert "is not open any more" in err
    assert "approved" in err
    assert "reads well" in call("decisions", run_id)[1]


def test_a_rejected_report_is_kept_as_rejected(call, waiting):
    code, out, _ = call("resume", waiting["run"], "--reject", "the cause is another", "-o", "json", "-q")
    assert code == 3
    report = json.loads(out)
    assert report["status"] == "rejected"
    assert report["decisions"][-1]["reason"] == "the cause is another"


def test_a_cancelled_run_says_why(call, waiting):
    code, out, _ = call("cancel", waiting["run"], "--reason", "wrong bundle")
    assert (code, out) == (0, f"run {waiting['run']} cancelled: wrong bundle\n")
    assert call("cancel", waiting["run"])[0] == 2
    assert call("retry", waiting["run"])[0] == 2


def test_a_spent_budget_is_code_124_with_a_report(call):
    code, out, _ = call("investigate", DEMO, "--model", "rules", "--max-seconds", "0.001", "-o", "json", "-q")
    assert code == 124
    assert any("budget" in line for line in json.loads(out)["missing"])


def test_a_signal_leaves_a_run_that_goes_on(database, call):
    process = subprocess.Popen(
        [*LEADLINE, "--database", database, "investigate", DEMO, "--model", "rules"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    told = []
    for line in process.stderr:
        told.append(line)
        if line.endswith(": running\n"):
            process.send_signal(signal.SIGTERM)
            break
    told += process.stderr.readlines()
    assert process.wait(timeout=20) == 143
    process.stderr.close()
    command = re.fullmatch(r"  next: leadline resume (run-\w+)\n", told[-1])
    assert told[-2] == "error: stopped by SIGTERM\n"
    assert re.search(rf"^{command[1]} +stopped ", call("runs")[1], re.MULTILINE)
    assert call("resume", command[1], "-q")[0] == 0


def on_terminal(arguments, answers, timeout=60):
    """Run on a pseudo-terminal, typing each answer when its prompt appears: (exit code, what the terminal got)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="100")
        os.execv(LEADLINE[0], [*LEADLINE, *map(str, arguments)])
    got, left, deadline = b"", list(answers), time.monotonic() + timeout
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                piece = os.read(terminal, 65_536)
            except OSError:
                break
            if not piece:
                break
            got += piece
        if left and got.endswith(left[0][0]):
            os.write(terminal, left.pop(0)[1])
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert left == []
    return os.waitstatus_to_exitcode(status), got.decode("utf-8")


def test_a_terminal_is_asked_and_nothing_but_the_word_approves(database):
    code, text = on_terminal(
        ["--database", database, "investigate", DEMO, "--model", "rules", "--ask", "report"],
        [(b"later: ", b"y\r"), (b"later: ", b"reject\r"), (b"reason: ", b"\r"), (b"later: ", b"approve\r")],
    )
    assert code == 0
    assert "a rejection needs a reason" in text
    assert "CAUSE FOUND" in text


def hostile_bundle(folder: Path):
    """The demo with hostile text wherever its owner can write."""
    shutil.copytree(DEMO, folder)
    bad = "\x1b[2J\x1b]0;owned\x07 \x9b31m \u202eevil\u202c \u200b <script>alert(1)</script> [x](javascript:alert(1))"
    incident = (folder / "incident.yaml").read_text(encoding="utf-8")
    quoted = json.dumps(f"down {bad}")
    incident = re.sub(r"^title: .*$", lambda _: f"title: {quoted}", incident, flags=re.MULTILINE)
    (folder / "incident.yaml").write_text(incident, encoding="utf-8")
    for path in [p for p in folder.rglob("*") if p.suffix == ".jsonl"]:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            for key in {"body", "title", "message"} & line.keys():
                line[key] = f"{line[key]} {bad}"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_hostile_telemetry_reaches_no_terminal_and_no_page(database, tmp_path, call):
    bundle = hostile_bundle(tmp_path / "bundle")
    code, text = on_terminal(["--database", database, "investigate", bundle, "--model", "rules"], [])
    assert code in {0, 3}
    ours = re.sub(r"\x1b\[[\d;?]*[mKAlh]", "", text).replace("\r", "")  # colours and the live view's own moves
    assert visible(ours) == ours
    assert "owned" in ours
    run_id = json.loads(call("runs", "-o", "json")[1])["runs"][0]["run"]
    for command in (
        ["show", run_id, "--tasks"],
        ["events", run_id],
        ["evidence", run_id],
        ["report", run_id, "-o", "html"],
    ):
        out = call(*command)[1]
        assert visible(out) == out
        assert "<script>" not in out or command[0] != "report"
