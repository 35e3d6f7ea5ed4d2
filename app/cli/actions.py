"""`leadline actions`."""

from datetime import datetime

import typer
from pydantic import JsonValue

from ...adapters.store import SqlRunStore
from ...contracts.action import ActionProposal
from ...contracts.base import RunId
from ...runtime.actions_view import ActionLine, ActionsView, view_actions
from ..console import Hanging, command, facts, heading, line, output
from ..listing import Row, show_list
from ..times import utc
from .lazy import command_app
from .options import ListForm, RunArgument
from .session import session_of
from .work import read

app = command_app()


@app.command()
def actions(context: typer.Context, *, run: RunArgument, form: ListForm = "table") -> None:
    """Show a run's actions, and what became of each.

    What was proposed, approved, done and confirmed, and whether it helped.
    """

    async def load(store: SqlRunStore) -> ActionsView:
        found = await store.run(RunId(run))
        return await view_actions(store.reader(found.run_id), found)

    seen = read(session_of(context), load)
    rows = [*(_row(one) for one in seen.lines), *(_refused_row(one) for one in seen.refused)]
    if form != "table" or not rows:
        mode = seen.run.config.team.actions.mode
        show_list("actions", rows, {}, form, empty=f"no actions in this run; its mode is {mode}")
        return
    for one in seen.lines:
        _show(one, seen.run.run_id)
    if seen.refused:
        console = output()
        console.print(heading("Refused before anyone was asked"))
        for proposal in seen.refused:
            console.print(Hanging("  ", line(f"{proposal.kind} {proposal.target}: {proposal.refused}")))


def _show(one: ActionLine, run_id: str) -> None:
    console, what = output(), one.action.command
    console.print(Hanging("", line(f"{what.command_id}  {one.action.state}  {what.kind} {what.target}", "bold")))
    said = {k: v for k, v in _row(one).items() if k in _TOLD}
    for pair in facts([(k.replace("_", " "), _text(v)) for k, v in said.items()], indent="  "):
        console.print(pair)
    for receipt in one.receipts:
        late = ", late: it moved nothing" if receipt.late else ""
        told = f"{receipt.source} {utc(receipt.at)}: {receipt.outcome}{late}. {receipt.detail}"
        console.print(Hanging("  receipt  ", line(told)))
    for words in _next(one, run_id):
        console.print(command(words), crop=False)


_TOLD = (
    "arguments", "effect", "risk", "reason", "proposed_by", "dry_run", "approval", "decision", "attempts", "reference",
    "helped", "undoes", "undone_by",
)  # fmt: skip


def _row(one: ActionLine) -> Row:
    action, what = one.action, one.action.command
    decided, request, check = one.decision, one.request, one.check
    answer = f"{decided.decision} by {decided.by} {utc(decided.decided_at)}" if decided else ""
    asked = f"{request.approval_id}, digest {request.subject_digest[:16]}" if request else ""
    return {
        "command": what.command_id,
        "intent": what.intent_id,
        "revision": what.revision,
        "state": action.state,
        "kind": what.kind,
        "target": str(what.target),
        "arguments": dict(what.arguments),
        "effect": what.effect,
        "risk": what.risk,
        "reason": action.reason,
        "proposed_by": one.proposal.proposed_by if one.proposal else "",
        "dry_run": f"{one.dry_run.outcome}: {'; '.join(one.dry_run.preview[:3])}" if one.dry_run else "",
        "approval": asked,
        "expires": request.expires_at.isoformat() if request and request.expires_at else "",
        "decision": answer + (f": {decided.reason}" if decided and decided.reason else ""),
        "attempts": [f"{a.attempt_id} {_time(a.started_at)} epoch {a.epoch} {a.holder}" for a in one.attempts],
        "receipts": [r.model_dump(mode="json") for r in one.receipts],
        "reference": next((r.external_reference for r in reversed(one.receipts) if r.external_reference), ""),
        "idempotency_key": what.idempotency_key,
        "fingerprint": what.fingerprint,
        "answer": one.answer.decode("utf-8", "replace") if one.answer else "",
        "helped": f"{check.verdict}: {check.why}" if check else "",
        "undoes": what.compensates,
        "undone_by": action.undone_by,
    }


def _refused_row(proposal: ActionProposal) -> Row:
    return {
        "command": "",
        "state": "refused",
        "kind": proposal.kind,
        "target": proposal.target,
        "arguments": dict(proposal.arguments),
        "reason": proposal.refused,
        "proposed_by": proposal.proposed_by,
    }


def _next(one: ActionLine, run_id: str) -> tuple[str, ...]:
    """Commands that could come next, the one that is most likely first."""
    key, state = one.action.key, one.action.state
    if one.request is not None and one.decision is None and state == "proposed":
        digest = one.request.subject_digest[:8]
        return (
            f"leadline approve {run_id} {key} --digest {digest}",
            f"leadline reject {run_id} {key} --reason TEXT",
        )
    if state == "manual_review":
        return (f"leadline reconcile {run_id} {key}", f"leadline reconcile {run_id} {key} --done --reason TEXT")
    if state in {"pending", "unknown", "running"}:
        return (f"leadline reconcile {run_id} {key}",)
    return ()


def _text(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}={v}" for k, v in value.items())
    return "; ".join(str(v) for v in value) if isinstance(value, list) else str(value or "")


def _time(at: datetime) -> str:
    return utc(at)
