"""Starting a run and going on with one, followed on stderr, so that an interrupted command can say how to go on."""

from typing import TYPE_CHECKING

from ...contracts.base import RunId
from ...contracts.run import Run
from ...contracts.task import Task
from ...runtime.outcome import PersonAnswer, RunOutcome, StartRequest
from ...runtime.settings import Settings
from ..progress import Following, following
from .session import Session
from .work import serve

if TYPE_CHECKING:  # loads LangGraph: see work.serve
    from ...runtime.service import RunService


def start(session: Session, settings: Settings, request: StartRequest) -> RunOutcome:
    with following(quiet=session.quiet) as follow:

        def began(run: Run) -> None:
            session.run_id = run.run_id
            follow.began(run)

        return serve(settings, lambda service: service.start(request, follow.watch, began))


def resume(session: Session, settings: Settings, run_id: str, answer: PersonAnswer | None) -> RunOutcome:
    with following(quiet=session.quiet) as follow:

        async def work(service: "RunService") -> RunOutcome:
            await _known(session, service, run_id, follow)
            return await service.resume(session.run_id, answer, follow.watch)

        return serve(settings, work)


def retry(session: Session, settings: Settings, run_id: str) -> RunOutcome:
    with following(quiet=session.quiet) as follow:

        async def work(service: "RunService") -> RunOutcome:
            await _known(session, service, run_id, follow)
            return await service.retry(session.run_id, follow.watch)

        return serve(settings, work)


async def _known(session: Session, service: "RunService", run_id: str, follow: Following) -> None:
    run = await service.store.run(RunId(run_id))
    session.run_id = run.run_id
    follow.resumed(run, await service.store.reader(run.run_id).all(Task))
