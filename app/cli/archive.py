"""`leadline archive`."""

from pathlib import Path
from typing import Annotated

import typer

from ...adapters.store import SqlRunStore
from ...contracts.base import RunId
from ...runtime.archive import write_archive
from .lazy import command_app
from .options import RunArgument
from .session import session_of
from .work import read

app = command_app()


@app.command()
def archive(
    context: typer.Context,
    *,
    run: RunArgument,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="A new file: .jsonl, or .zip for the same packed.")
    ],
) -> None:
    """Write a run that is over to one file.

    It holds all records, events and prompts, with secrets masked; reading it back notices a cut or changed file.
    """

    async def keep(store: SqlRunStore) -> int:
        found = await store.run(RunId(run))
        return await write_archive(found, store.reader(found.run_id), out)

    lines = read(session_of(context), keep)
    typer.echo(f"{out}: {lines:,} lines")
