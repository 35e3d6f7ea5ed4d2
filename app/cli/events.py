"""`leadline events`."""

import asyncio
import json
from typing import Annotated, Literal

import typer

from ...adapters.store import SqlRunStore
from ...contracts.base import RunId
from ...contracts.event import Event
from ..times import utc
from ..visible import one_line, visible_json
from .lazy import command_app
from .options import RunArgument
from .session import session_of
from .work import read

app = command_app()
_POLL_SECONDS = 0.5


@app.command()
def events(
    context: typer.Context,
    *,
    run: RunArgument,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run waits or is over.")] = False,
    since_seq: Annotated[int, typer.Option(min=0, help="Only those after this number.")] = 0,
    form: Annotated[
        Literal["table", "json"], typer.Option("--output", "-o", help="json: one object a line.")
    ] = "table",
) -> None:
    """Show what happened in a run, in order."""

    async def tell(store: SqlRunStore) -> None:
        run_id, last = (await store.run(RunId(run))).run_id, since_seq
        while True:
            state = (await store.run(run_id)).state
            for event in await store.reader(run_id).events(after=last):
                typer.echo(_json_line(event) if form == "json" else _line(event))
                last = event.seq
            if not follow or state != "running":
                return
            await asyncio.sleep(_POLL_SECONDS)

    read(session_of(context), tell)


def _json_line(event: Event) -> str:
    return visible_json(json.dumps(event.model_dump(mode="json"), ensure_ascii=False))


def _line(event: Event) -> str:
    moved = f" {event.from_state} -> {event.to_state}" if event.kind == "transition" else ""
    forced = " (forced)" if event.forced else ""
    took = f" in {event.duration_ms:.0f} ms" if event.duration_ms is not None else ""
    by = f" by {event.by}" if event.by and event.by != event.subject else ""
    reason = f": {event.reason}" if event.reason else ""
    told = f"{event.kind} {event.subject}{moved}{forced}{by}{took}{reason}"
    return f"{event.seq:>5}  {utc(event.at)}  {one_line(told)}"
