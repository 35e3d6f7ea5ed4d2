"""`leadline evidence`."""

from typing import Annotated

import typer
from pydantic import JsonValue
from rich.console import Console

from ...adapters.store import SqlRunStore
from ...contracts.base import ObservationId, RunId
from ...contracts.claim import Claim
from ...contracts.errors import UsageError
from ...contracts.evidence import Answer, Observation
from ...rules.wording import say
from ..console import Hanging, facts, heading, items, line, output, text
from ..documents import write_document
from ..listing import ListFormat, as_json, as_yaml, show_list
from ..outline import outline
from ..times import between
from . import exit_codes
from .lazy import command_app
from .options import ListForm, RunArgument
from .session import Session, session_of
from .work import read, serve

app = command_app()
_COLUMNS = {
    "OBSERVATION": "observation", "STATUS": "status", "FACTS": "facts", "PROBE": "probe", "CLAIMS": "claims",
    "ASKED BY": "asked_by",
}  # fmt: skip


@app.command()
def evidence(
    context: typer.Context,
    *,
    run: RunArgument,
    observation: Annotated[
        str | None, typer.Argument(metavar="[OBSERVATION]", show_default=False, help="Show this one.")
    ] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Ask the same question again and compare.")] = False,
    form: ListForm = "table",
) -> int:
    """Show a run's observations; ask one again and compare.

    With --rerun the exit code is 0 where the answer is the same, byte for byte, and 1 where it is not.
    """
    session = session_of(context)
    if observation is None:
        if rerun:
            raise UsageError("--rerun needs an observation", hint=f"leadline evidence {run}")
        _list(session, run, form)
        return exit_codes.OK
    run_id, found, claims = read(session, lambda store: _load(store, run, observation))
    again = serve(session.settings(), lambda service: service.rerun(run_id, found.id))[1] if rerun else None
    if form == "table":
        _show(output(), found, claims, again)
    else:
        document: dict[str, JsonValue] = {
            "schema": 1,
            "observation": found.model_dump(mode="json"),
            "claims": [c.id for c in claims],
            "rerun": {"same": _same(found, again), "digest": again.digest, "status": again.status} if again else None,
        }
        write_document(as_json(document) if form == "json" else as_yaml(document), None)
    return exit_codes.OK if again is None or _same(found, again) else exit_codes.FAILED


def _same(observation: Observation, again: Answer) -> bool:
    return again.digest == observation.answer_digest


def _list(session: Session, run: str, form: ListFormat) -> None:
    async def load(store: SqlRunStore) -> tuple[tuple[Observation, ...], tuple[Claim, ...]]:
        reader = store.reader((await store.run(RunId(run))).run_id)
        return await reader.all(Observation), await reader.all(Claim)

    observations, claims = read(session, load)
    rows: list[dict[str, JsonValue]] = [
        {
            "observation": o.id,
            "status": o.answer.status,
            "facts": len(o.answer.facts),
            "probe": o.call.probe,
            "params": o.call.params,
            "claims": sum(o.id in c.observations for c in claims),
            "asked_by": o.asked_by + (", proposed by a model" if o.asked_for == "model" else ""),
            "digest": o.answer_digest,
        }
        for o in observations
    ]
    show_list("observations", rows, _COLUMNS, form, empty="no question has been asked in this run yet")


async def _load(store: SqlRunStore, run: str, observation: str) -> tuple[RunId, Observation, tuple[Claim, ...]]:
    run_id = (await store.run(RunId(run))).run_id
    reader = store.reader(run_id)
    found = await reader.get(Observation, ObservationId(observation))
    if found is None:
        raise UsageError(f"run {run_id} has no observation {observation!r}", hint=f"leadline evidence {run_id}")
    return run_id, found, tuple(c for c in await reader.all(Claim) if found.id in c.observations)


def _show(console: Console, observation: Observation, claims: tuple[Claim, ...], again: Answer | None) -> None:
    answer = observation.answer
    pairs = [
        ("observation", observation.id),
        ("probe", f"{observation.call.probe}, version {observation.probe_version}"),
        ("status", answer.status + (f": {answer.note}" if answer.note else "")),
        ("window", between(answer.window.start, answer.window.end) if answer.window else ""),
        ("rows read", f"{answer.rows_read:,}"),
        ("asked by", f"{observation.asked_by}, proposed by {observation.asked_for}"),
        ("answer", f"sha256 {observation.answer_digest}"),
        ("bundle", f"sha256 {observation.bundle_digest}"),
    ]
    for pair in facts(pairs):
        console.print(pair, crop=False)
    if observation.call.params:
        console.print(heading("parameters"))
        for piece in outline(observation.call.params):
            console.print(piece)
    for title, lines in (
        ("facts", [say(f) + (f" “{f.quote}”" if f.quote else "") for f in answer.facts]),
        ("claims that rest on it", [f"{say(c)} ({c.id}, {c.made_by})" for c in claims]),
    ):
        if lines:
            console.print(heading(title))
            for item in items(line(each) for each in lines):
                console.print(item)
    if answer.excerpt:
        console.print(heading("from the source, redacted and cut"))
        for each in answer.excerpt:
            console.print(Hanging("  ", text(each)))
    if again is not None:
        same = _same(observation, again)
        told = "the same, byte for byte" if same else f"another one: {again.status}, sha256 {again.digest}"
        console.print()
        console.print(line(f"asked again: {told}", "bold green" if same else "bold red"), soft_wrap=True)
