"""From a run's standing to its end: asks the person at the terminal, then prints what came out."""

from collections.abc import Callable
from pathlib import Path

from pydantic import JsonValue

from ...contracts.errors import ApprovalRefused
from ...runtime.outcome import PersonAnswer, RunOutcome
from ..approval import ask_person, show_next_commands, show_request
from ..console import heading, is_interactive, line, output, talk
from ..documents import ReportFormat, write_document, write_report
from ..listing import as_json

Resume = Callable[[PersonAnswer | None], RunOutcome]


def see_through(outcome: RunOutcome, resume: Resume, *, no_wait: bool) -> RunOutcome:
    """Ask until the run waits no more, or the person wants to answer later. Nothing is held while a person thinks."""
    while outcome.waiting is not None and not no_wait and is_interactive():
        answer = ask_person(talk(), outcome.waiting, _read_line)
        if answer is None:
            break
        try:
            outcome = resume(answer)
        except ApprovalRefused as refused:
            talk().print(line(f"refused: {refused}"))
            outcome = resume(None)
    return outcome


def _read_line(prompt: str) -> str:
    talk().print(prompt, end="")
    return input()


def finish(outcome: RunOutcome, form: ReportFormat, out: Path | None) -> int:
    """Print the report, or what the run waits for, or why it ended without one; give the exit code."""
    if outcome.waiting is not None:
        _tell_waiting(outcome, form)
    elif outcome.report is not None and outcome.run.state == "concluded":
        write_report(outcome.report, form, out)
        if out is not None:
            talk().print(line(f"report of {outcome.run.run_id} written to {out}"))
    else:
        talk().print(line(f"run {outcome.run.run_id} {outcome.run.state}: {outcome.run.reason or 'no reason given'}"))
    return outcome.exit_code


def _tell_waiting(outcome: RunOutcome, form: ReportFormat) -> None:
    run, request = outcome.run, outcome.waiting
    if request is None:
        return
    if form == "json":
        document: dict[str, JsonValue] = {
            "schema": 1,
            "run": run.run_id,
            "status": "waiting",
            "waiting": request.model_dump(mode="json"),
        }
        write_document(as_json(document), None)
        return
    console = output()
    console.print(line(f"run {run.run_id} waits for a person"))
    show_request(console, request)
    console.print(heading("Answer with one of:"))
    show_next_commands(console, run.run_id, request)
