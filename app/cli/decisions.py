"""`leadline decisions`."""

from datetime import datetime

import typer
from pydantic import JsonValue

from ...adapters.store import SqlRunStore
from ...contracts.approval import ApprovalDecision, ApprovalRequest
from ...contracts.arbitration import ArbitrationRecord, DecisionRecord
from ...contracts.base import RunId
from ...contracts.ports import LedgerReader
from ..console import Hanging, facts, line, output
from ..listing import Row, show_list
from ..times import utc
from .lazy import command_app
from .options import ListForm, RunArgument
from .session import session_of
from .work import read

app = command_app()


@app.command()
def decisions(context: typer.Context, *, run: RunArgument, form: ListForm = "table") -> None:
    """Show what was decided in a run, by which authority."""

    async def load(store: SqlRunStore) -> list[Row]:
        reader = store.reader((await store.run(RunId(run))).run_id)
        rows = [*await _decided(reader), *await _rulings(reader), *await _answers(reader)]
        return sorted(rows, key=lambda row: str(row["at"]))

    rows = read(session_of(context), load)
    if form != "table" or not rows:
        show_list("decisions", rows, {}, form, empty="nothing had to be decided in this run")
        return
    console = output()
    for row in rows:
        console.print(Hanging("", line(f"{row['subject']}: {row['decision']}", "bold")))
        pairs = [(key, _told(key, row[key])) for key in ("id", "why", "by", "authority", "at", "evidence", "against")]
        for pair in facts(pairs, indent="  "):
            console.print(pair)


def _told(key: str, value: JsonValue) -> str:
    if key == "at":
        return utc(datetime.fromisoformat(str(value)))
    return ", ".join(str(v) for v in value) if isinstance(value, list) else str(value or "")


async def _decided(reader: LedgerReader) -> list[Row]:
    return [
        {"kind": "decision", "id": d.decision_id,
         "subject": d.subject, "decision": d.decision, "why": d.reason, "by": d.made_by,
         "authority": "", "at": d.created_at.isoformat(), "evidence": list(d.claims), "against": []}
        for d in await reader.all(DecisionRecord)
    ]  # fmt: skip


async def _rulings(reader: LedgerReader) -> list[Row]:
    """The losing side stays readable."""
    return [
        {"kind": f"{r.conflict_type} conflict", "id": r.arbitration_id,
         "subject": r.subject, "decision": r.decision, "why": r.reason,
         "by": r.decided_by, "authority": f"{r.authority.type.replace('_', ' ')} {r.authority.ref}",
         "at": r.created_at.isoformat(), "evidence": list(r.evidence_refs),
         "against": [c for c in r.candidates if c not in r.upheld]}
        for r in await reader.all(ArbitrationRecord)
    ]  # fmt: skip


async def _answers(reader: LedgerReader) -> list[Row]:
    asked = {r.approval_id: r for r in await reader.all(ApprovalRequest)}
    return [
        {"kind": "answer", "id": d.approval_id,
         "subject": asked[d.approval_id].question if d.approval_id in asked else d.approval_id,
         "decision": d.decision, "why": d.reason, "by": d.by,
         "authority": f"approval {d.approval_id}, sha256 {d.subject_digest[:16]}",
         "at": d.decided_at.isoformat(), "evidence": [], "against": []}
        for d in await reader.all(ApprovalDecision)
    ]  # fmt: skip
