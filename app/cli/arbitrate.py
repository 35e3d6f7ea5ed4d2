"""`leadline arbitrate`."""

from typing import Annotated

import typer
from pydantic import JsonValue

from ..console import facts, line, output
from ..documents import write_document
from ..listing import as_json, as_yaml
from . import exit_codes
from .lazy import command_app
from .options import ListForm, RunArgument
from .session import session_of
from .work import serve

app = command_app()


@app.command()
def arbitrate(
    context: typer.Context,
    *,
    run: RunArgument,
    arbitration: Annotated[str, typer.Argument(metavar="ID", help="A ruling of `leadline decisions`.")],
    again: Annotated[bool, typer.Option("--again", help="Ask every side's questions again and rule anew.")] = False,
    form: ListForm = "table",
) -> int:
    """Show a ruling; say whether it would still stand.

    With --again the exit code is 0 where the ruling stands, and 1 where it would be another one.
    """
    made, now = serve(
        session_of(context).settings(), lambda service: service.arbitrate_again(run, arbitration, ask=again)
    )
    stands = now.upheld == made.upheld
    if form != "table":
        document: dict[str, JsonValue] = {
            "schema": 1,
            "ruling": made.model_dump(mode="json"),
            "again": {"upheld": list(now.upheld), "reason": now.reason, "stands": stands} if again else None,
        }
        write_document(as_json(document) if form == "json" else as_yaml(document), None)
        return exit_codes.OK if stands else exit_codes.FAILED
    verdict = "it stands" if stands else ", ".join(now.upheld) or "none stands"
    pairs = [
        ("conflict", f"{made.conflict_type}: {made.subject}"),
        ("sides", " against ".join(made.candidates)),
        ("upheld", ", ".join(made.upheld) or "none"),
        ("because", made.reason),
        ("authority", f"{made.authority.type.replace('_', ' ')} {made.authority.ref}"),
        ("decided by", made.decided_by),
        ("asked again", f"{verdict}: {now.reason}" if again else ""),
    ]  # fmt: skip
    for pair in facts(pairs):
        output().print(pair)
    if again and not stands:
        output().print(line("the ruling would be another one", "bold red"))
    return exit_codes.OK if stands else exit_codes.FAILED
