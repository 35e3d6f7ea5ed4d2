"""How a failure is told: what, why, and the next command; never a traceback unless it was asked for."""

import sys
import traceback

import typer

from ...contracts.errors import BudgetSpent, LeadlineError
from ..visible import one_line
from . import exit_codes
from .interrupted import Interrupted
from .session import Session


def tell_failure(failure: Exception, session: Session) -> int:
    """Print it on stderr; give the exit code."""
    if session.debug and not isinstance(failure, Interrupted):
        traceback.print_exception(failure)
    if isinstance(failure, LeadlineError):
        _say(failure.what, failure.why, failure.hint)
        return failure.exit_code
    if isinstance(failure, BudgetSpent):
        _say(f"budget spent: {failure.what}", "", _resume_hint(session))
        return failure.exit_code
    if isinstance(failure, Interrupted):
        _say(f"stopped by {failure.name}", "", _resume_hint(session))
        return failure.exit_code
    if isinstance(failure, typer.Abort):
        _say("stopped: no answer", "", _resume_hint(session))
        return exit_codes.SIGNAL_BASE + 2
    if isinstance(failure, typer.TyperException):
        context = getattr(failure, "ctx", None)
        path = context.command_path if context else "leadline"
        _say(failure.format_message().rstrip("."), "", f"{path} --help")
        return exit_codes.USAGE
    again = f"leadline retry {session.run_id}" if session.run_id else ""
    where = "" if session.debug else "--debug shows where it happened"
    _say(f"unexpected {type(failure).__name__}", str(failure), "; ".join(part for part in (again, where) if part))
    return exit_codes.FAILED


def _say(what: str, why: str, hint: str) -> None:
    lines = [f"error: {one_line(what)}"]
    lines += [f"  why: {one_line(why, 1000)}"] if why else []
    lines += [f"  next: {one_line(hint)}"] if hint else []
    print("\n".join(lines), file=sys.stderr)  # noqa: T201 talk goes to stderr


def _resume_hint(session: Session) -> str:
    return f"leadline resume {session.run_id}" if session.run_id else ""
