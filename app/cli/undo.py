"""`leadline undo`."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...contracts.approval import ApprovalRequest
from ..approval import show_request
from ..console import command, heading, output
from .lazy import command_app
from .options import RunArgument
from .session import session_of
from .work import serve

if TYPE_CHECKING:  # loads LangGraph: see work.serve
    from ...runtime.service import RunService

app = command_app()


@app.command()
def undo(
    context: typer.Context,
    *,
    run: RunArgument,
    action: Annotated[str, typer.Argument(metavar="COMMAND", help="The action's id.")],
) -> int:
    """Ask for the undo of an action that succeeded.

    For a run that is over. It is a command of its own, linked to the first, and it is approved like any other.
    """

    async def work(service: "RunService") -> ApprovalRequest:
        from ...runtime.actions import undo_action  # noqa: PLC0415  with the service

        return await undo_action(service, run, action)

    request = serve(session_of(context).settings(), work)
    console = output()
    show_request(console, request)
    console.print(heading("Answer with one of:"))
    console.print(command(f"leadline approve {request.run_id} --digest {request.subject_digest[:8]}"), crop=False)
    console.print(command(f"leadline reject {request.run_id} --reason TEXT"), crop=False)
    return 5
