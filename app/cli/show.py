"""`leadline show`."""

from typing import Annotated

import typer
from rich.console import Console

from ...adapters.store import SqlRunStore
from ...contracts.approval import ApprovalDecision, ApprovalRequest
from ...contracts.base import RunId
from ...contracts.run import Run
from ..approval import show_next_commands, show_request
from ..console import command, facts, heading, output
from ..standing import standing
from ..times import span, utc
from .lazy import command_app
from .options import RunArgument
from .session import session_of
from .show_messages import show_messages
from .show_parts import show_assignments, show_prompts, show_task_list, show_tasks
from .work import read

app = command_app()


@app.command()
def show(
    context: typer.Context,
    *,
    run: RunArgument,
    assignments: Annotated[bool, typer.Option("--assignments", help="Why who was chosen, and who was not.")] = False,
    tasks: Annotated[bool, typer.Option("--tasks", help="Every task's contract.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="What a model was asked, and how it answered.")] = False,
    messages: Annotated[bool, typer.Option("--messages", help="Who wrote what to whom, and what was refused.")] = False,
) -> None:
    """Show one run: its state, its tasks, and why who did what."""

    async def tell(store: SqlRunStore) -> None:
        found = await store.run(RunId(run))
        reader, console = store.reader(found.run_id), output()
        if not (assignments or tasks or prompts or messages):
            _head(console, found)
            await show_task_list(console, reader)
            _next(console, found, await _open_request(store, found))
        if tasks:
            await show_tasks(console, reader)
        if assignments:
            await show_assignments(console, reader)
        if prompts:
            await show_prompts(console, reader)
        if messages:
            await show_messages(console, reader)

    read(session_of(context), tell)


def _head(console: Console, run: Run) -> None:
    config = run.config
    pairs = [
        ("run", run.run_id),
        ("state", standing(run) + (f", {run.reason}" if run.reason else "")),
        ("incident", f"{config.incident_id}: {config.title}"),
        ("bundle", f"{config.bundle_path}, sha256 {config.bundle_digest[:16]}…"),
        ("graph", f"{config.graph_version}, structure {config.structure_hash[:12]}"),
        ("proposer", f"{config.model} ({config.model_reason})"),
        ("team", f"{config.team.name} {config.team.version}"),
        ("started", f"{utc(run.created_at)} by {config.user}"),
        ("last changed", f"{utc(run.updated_at)}, {span((run.updated_at - run.created_at).total_seconds())} later"),
        ("forked from", run.parent or ""),
        ("held by", f"{run.holder} until {utc(run.lease_until)}" if run.holder and run.lease_until else ""),
    ]
    for pair in facts(pairs):
        console.print(pair)


async def _open_request(store: SqlRunStore, run: Run) -> ApprovalRequest | None:
    if run.state != "waiting":
        return None
    reader = store.reader(run.run_id)
    decided = {d.approval_id for d in await reader.all(ApprovalDecision)}
    return next((r for r in await reader.all(ApprovalRequest) if r.approval_id not in decided), None)


def _next(console: Console, run: Run, request: ApprovalRequest | None) -> None:
    if request is not None:
        show_request(console, request)
        console.print(heading("Answer with one of:"))
        show_next_commands(console, run.run_id, request)
        return
    told = {
        "concluded": f"leadline report {run.run_id}",
        "failed": f"leadline retry {run.run_id}",
        "running": f"leadline resume {run.run_id}",
        "waiting": f"leadline resume {run.run_id}",
    }.get(run.state)
    if told is not None:
        console.print()
        console.print(command(told, indent="next: "), crop=False)
