"""`leadline reconcile`."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...contracts.action import Action
from ...contracts.errors import UsageError
from ..console import line, output
from ..listing import show_list
from .lazy import command_app
from .options import CommandArgument, ListForm, RunArgument
from .session import session_of
from .work import serve

if TYPE_CHECKING:  # loads LangGraph: see work.serve
    from ...runtime.service import RunService

app = command_app()


@app.command()
def reconcile(
    context: typer.Context,
    *,
    run: RunArgument,
    action: CommandArgument = None,
    done: Annotated[bool, typer.Option("--done", help="You have looked: it took effect.")] = False,
    not_done: Annotated[bool, typer.Option("--not-done", help="You have looked: it did not.")] = False,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="How you know; with --done and --not-done.")] = "",
    form: ListForm = "table",
) -> int:
    """Find out how actions went whose outcome is not known.

    Nothing is done again for it. The target's record is asked, then the state itself. What neither says stays for a
    person's word. Exit 3 while one is open.
    """
    if done and not_done:
        raise UsageError("one word at a time", why="--done and --not-done exclude each other")
    verdict: Literal["done", "not_done"] | None = "done" if done else "not_done" if not_done else None

    async def work(service: "RunService") -> tuple[Action, ...]:
        from ...runtime.actions import reconcile_action  # noqa: PLC0415  with the service

        return await reconcile_action(service, run, action, verdict, reason)

    found = serve(session_of(context).settings(), work)
    rows = [
        {"command": a.key, "state": a.state, "what": f"{a.command.kind} {a.command.target}", "why": a.reason}
        for a in found
    ]
    if form == "table":
        for row in rows:
            output().print(line(f"{row['command']}  {row['state']}  {row['what']}: {row['why']}"))
    else:
        show_list("actions", rows, {}, form)
    return 3 if any(a.state in {"pending", "unknown", "manual_review"} for a in found) else 0
