"""A person is asked: first exactly what will happen, as code wrote it down; then the risk, the time, the choices."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import JsonValue
from rich.console import Console
from rich.text import Text

from ..contracts.approval import ApprovalRequest
from ..contracts.errors import LeadlineError
from ..runtime.outcome import PersonAnswer
from .console import command, facts, line
from .edits import read_edit
from .outline import outline
from .times import span, utc

CHOICES = ("approve", "reject", "edit", "later")
Read = Callable[[str], str]


def show_request(console: Console, request: ApprovalRequest) -> None:
    console.print(Text.assemble("\n", (request.question, "bold")))
    for piece in outline(request.content):
        console.print(piece)
    pairs = [
        ("risk", request.risk),
        ("if nobody answers", request.on_ignore),
        ("expires", _expiry(request.expires_at)),
        ("approval", f"{request.approval_id}, bound to sha256 {request.subject_digest[:16]}…"),
    ]
    console.print()
    for pair in facts(pairs):
        console.print(pair)


def show_next_commands(console: Console, run_id: str, request: ApprovalRequest) -> None:
    for choice in ("--approve", "--reject 'REASON'", "--edit FILE"):
        console.print(command(f"leadline resume {run_id} --approval {request.approval_id} {choice}"), crop=False)


def ask_person(console: Console, request: ApprovalRequest, read: Read) -> PersonAnswer | None:
    """None where the person wants to answer later. Nothing counts as an approval but the whole word."""
    show_request(console, request)
    while True:
        choice = read(f"{', '.join(CHOICES)}: ").strip().lower()
        if choice == "approve":
            return _answer(request, "approved")
        if choice == "reject":
            reason = read("reason: ").strip()
            if reason:
                return _answer(request, "rejected", reason)
            console.print(line("a rejection needs a reason"))
        elif choice == "edit":
            try:
                return _answer(request, "edited", edit=read_edit(Path(read("file with the edit: ").strip())))
            except LeadlineError as refused:
                console.print(line(str(refused)))
        elif choice == "later":
            return None


def _answer(
    request: ApprovalRequest,
    decision: Literal["approved", "edited", "rejected"],
    reason: str = "",
    edit: dict[str, JsonValue] | None = None,
) -> PersonAnswer:
    return PersonAnswer(request.approval_id, decision, reason, edit)


def _expiry(at: datetime | None) -> str:
    if at is None:
        return "never"
    left = (at - datetime.now(UTC)).total_seconds()
    return f"{utc(at)}, in {span(left)}" if left > 0 else f"{utc(at)}, which has passed"
