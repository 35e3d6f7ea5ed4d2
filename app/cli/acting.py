"""What the commands about actions share."""

from typing import TYPE_CHECKING

from ...adapters.store import SqlRunStore
from ...contracts.approval import ApprovalRequest
from ...contracts.base import RunId
from ...runtime.actions_view import open_question as find_question
from ...runtime.outcome import PersonAnswer, RunOutcome
from ..console import talk
from ..progress import following
from .session import Session
from .work import read, serve

if TYPE_CHECKING:  # loads LangGraph: see work.serve
    from ...runtime.service import RunService


def open_question(session: Session, run: str, which: str | None) -> ApprovalRequest:
    """Raise `ApprovalRefused` where it is not open any more, or which one is meant cannot be told."""

    async def load(store: SqlRunStore) -> ApprovalRequest:
        found = await store.run(RunId(run))
        return await find_question(store.reader(found.run_id), which, found)

    return read(session, load)


def answered(session: Session, run_id: str, answer: PersonAnswer) -> RunOutcome:
    """Store the answer, and go on with what follows from it."""
    with following(quiet=session.quiet) as follow:

        async def work(service: "RunService") -> RunOutcome:
            from ...runtime.actions import answer_action  # noqa: PLC0415  with the service

            session.run_id = run_id
            return await answer_action(service, run_id, answer, follow.watch)

        return serve(session.settings(), work)


def read_line(prompt: str) -> str:
    talk().print(prompt, end="")
    return input()
