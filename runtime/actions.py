"""Actions of a run, for every way of using leadline: answers, undo, finding out, callbacks."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from ..adapters.models.rules import RulesProposer
from ..contracts.action import Action, ExecutionReceipt
from ..contracts.approval import ApprovalRequest
from ..contracts.base import derived_id
from ..contracts.errors import ActionRefused, RunHeld
from ..contracts.lifecycle import RUN_OVER
from ..contracts.ports import Deps, TargetReply, Writes
from ..contracts.report import IncidentReport
from ..contracts.run import Run
from ..nodes.act import act
from ..nodes.action_book import Book, action_event, floor_of, proposed_events, read_book
from ..nodes.action_notes import notes_of
from ..nodes.check_actions import check_actions
from ..nodes.outcome import Outcome, stamp
from ..nodes.prepare_action import prepare_action
from ..nodes.reconcile_actions import reconcile_actions, settled
from ..rules.actions.guards import ActionGrounds
from ..rules.actions.proposals import compensating
from ..rules.actions.receipts import judge
from ..rules.transition import Grounds, transition
from . import answers
from .actions_view import open_question
from .callbacks import checked_callback
from .desk import open_desk
from .held import held, holder_name
from .outcome import PersonAnswer, RunOutcome, Watcher, unwatched
from .service import RunService
from .wiring import evidence_of

T = TypeVar("T")
Verdict = Literal["done", "not_done"]
PATIENCE = 10.0
"""Seconds to wait for a run that another process is just letting go of."""
STEPS: dict[str, Callable[[Any, Deps], Awaitable[Outcome]]] = {
    "ask": prepare_action,
    "execute": act,
    "reconcile": reconcile_actions,
    "check": check_actions,
}


async def answer_action(
    service: RunService, run_id: str, answer: PersonAnswer, watch: Watcher = unwatched
) -> RunOutcome:
    """Answer the question about an action, from any place, and go on with what follows from it.

    The answer is stored first, and only the first one is; it needs nobody to hold the run. `answer.approval_id` may
    also be a command's id.

    Raises:
        ApprovalRefused: it is not open any more, and who answered; or it is not this person's to give.
        RunHeld: the answer is stored, and the process that holds the run has not let go of it.
    """
    run = await service.store.run(run_id)  # type: ignore[arg-type]  # any beginning of an id
    reader = service.store.reader(run.run_id)
    request = await open_question(reader, answer.approval_id, run)
    given = answer._replace(approval_id=request.approval_id)
    uptime = service.parts.uptime.mark()
    now = service.parts.clock.now()
    await answers.put(service.store, request, given, user=service.settings.user, now=now, uptime=uptime)
    if run.state not in RUN_OVER:
        return await _patiently(lambda: service.resume(run.run_id, None, watch))
    await _patiently(lambda: _after_answer(service, run, request, watch))
    return await service.resume(run.run_id)


async def undo_action(service: RunService, run_id: str, command_id: str, watch: Watcher = unwatched) -> ApprovalRequest:
    """Put the undo of a succeeded action of a run that is over before a person; raise `ActionRefused`."""
    async with at_desk(service, run_id, watch) as deps:
        run = await service.store.run(deps.run_id)
        if run.state not in RUN_OVER:
            raise ActionRefused(
                f"run {run.run_id} is not over", why=f"it is {run.state}", hint=f"leadline resume {run.run_id}"
            )
        action = _named(await read_book(deps.ledger), command_id, run)
        floor = await floor_of(deps)
        taken = compensating(action, floor, by=service.settings.user, origin="person")
        events = proposed_events(deps, taken, service.settings.user)
        if not taken.actions:
            await deps.ledger.commit(Writes(records=taken.proposals, events=events))
            raise ActionRefused(
                f"{command_id} cannot be undone", why=taken.proposals[0].refused, hint=f"leadline actions {run.run_id}"
            )
        made = taken.actions[0]
        linked = action.model_copy(update={"undone_by": made.key})
        await deps.ledger.commit(Writes(records=(*taken.proposals, made, linked), events=events))
        await drive(deps, "ask", "")
        asked = _named(await read_book(deps.ledger), made.key, run)
        request = await deps.ledger.get(ApprovalRequest, asked.approval_id)
        if request is None:
            raise ActionRefused(f"the undo {made.key} is not asked about", why=asked.reason)
        return request


async def reconcile_action(
    service: RunService,
    run_id: str,
    command_id: str | None = None,
    verdict: Verdict | None = None,
    reason: str = "",
    watch: Watcher = unwatched,
) -> tuple[Action, ...]:
    """Ask again how actions went whose outcome is not known; or settle one by a person's word. Gives all of them.

    Raises:
        ActionRefused: there is no such action, or nothing about it is open, or a person's word has no reason.
        RunHeld: a process works on the run.
    """
    async with at_desk(service, run_id, watch) as deps:
        await _find_lost(deps)
        book = await read_book(deps.ledger)
        run = await service.store.run(deps.run_id)
        wanted = [_named(book, command_id, run)] if command_id else [a for a in book.actions if _is_open(a)]
        for action in wanted:
            if not _is_open(action):
                raise ActionRefused(
                    f"nothing is open about {action.key}",
                    why=f"it is {action.state}",
                    hint=f"leadline actions {run.run_id}",
                )
        if verdict is None:
            for action in wanted:
                case = await settled(action, book, deps)
                await deps.ledger.commit(Writes(records=tuple(case.records), events=tuple(case.events)))
        else:
            await _by_word(wanted, verdict, reason, book, deps, service.settings.user)
        await _renew_report(deps)
        return await deps.ledger.all(Action)


async def take_callback(
    service: RunService, run_id: str, body: bytes, headers: Mapping[str, str], watch: Watcher = unwatched
) -> ExecutionReceipt:
    """A target's late word. It moves a pending action; of any other it is kept, and moves nothing.

    Raises:
        ActionRefused: it is not signed by the command's target, too old, or about no command of the run.
        RunHeld: a process works on the run; the sender should try again.
    """
    async with at_desk(service, run_id, watch) as deps:
        book = await read_book(deps.ledger)
        found = checked_callback(book.actions, deps, body, headers)
        attempt = book.attempts_of(found.action)[-1]
        receipt = judge(found.reply, found.action.command, attempt, source="callback", at=deps.clock.now())
        receipt = receipt.model_copy(update={"late": found.action.state != "pending"})
        await deps.ledger.save_artifact(body, "application/json")
        told = action_event(
            deps, "action.receipt", found.action.key, f"callback: {receipt.outcome}", receipt.receipt_id, by="callback"
        )
        if receipt.late or receipt.outcome not in {"succeeded", "failed"}:
            await deps.ledger.commit(Writes(records=(receipt,), events=(told,)))
            return receipt
        grounds = Grounds(action=ActionGrounds(receipt=receipt))
        moved, event = transition(found.action, receipt.outcome, stamp(deps, "callback"), grounds=grounds)
        moved = moved.model_copy(update={"reason": receipt.detail})
        await deps.ledger.commit(Writes(records=(moved, receipt), events=(told, event)))
        await _renew_report(deps)
        return receipt


async def drive(deps: Deps, acting: str, approval: str) -> str:
    """The act phase's own steps, outside the graph: for a run whose graph has ended."""
    while acting in STEPS:
        outcome = await STEPS[acting]({"acting": acting, "approval": approval}, deps)
        await deps.ledger.commit(outcome.writes)
        acting, approval = str(outcome.update["acting"]), ""
    return acting


@asynccontextmanager
async def at_desk(service: RunService, run_id: str, watch: Watcher) -> AsyncIterator[Deps]:
    """A run that this process holds, with all that is needed to act for it; raise `RunHeld`."""
    run = await service.store.run(run_id)  # type: ignore[arg-type]  # any beginning of an id
    settings, parts = service.settings, service.parts
    if run.config.team.actions.mode != "act":
        raise ActionRefused(f"run {run.run_id} does not act", why=f"its mode is {run.config.team.actions.mode!r}")
    lease = await service.store.take(run.run_id, holder_name(), settings.lease_seconds)
    async with (
        held(service.store, lease, settings.lease_seconds),
        evidence_of(Path(run.config.bundle_path), parts) as evidence,
        open_desk(run.config, settings, parts) as desk,
    ):
        ledger = service.store.ledger(lease)
        ledger.subscribe(watch)
        yield Deps(
            run_id=run.run_id,
            config=run.config,
            team=run.config.team,
            evidence=evidence,
            proposer=RulesProposer(),
            ledger=ledger,
            clock=parts.clock,
            started=parts.clock.monotonic(),
            actions=desk,
        )


async def _after_answer(service: RunService, run: Run, request: ApprovalRequest, watch: Watcher) -> None:
    async with at_desk(service, run.run_id, watch) as deps:
        await _find_lost(deps)
        await drive(deps, "ask", request.approval_id)
        await _renew_report(deps)


async def _find_lost(deps: Deps) -> None:
    """An attempt without a receipt, of a process that is gone: we hold the run, so nobody is at it."""
    if any(a.state == "running" for a in await deps.ledger.all(Action)):
        outcome = await act({"acting": "execute"}, deps)
        await deps.ledger.commit(outcome.writes)


async def _patiently(work: Callable[[], Awaitable[T]]) -> T:
    """Whoever holds the run may be about to let go of it: a loser of the same race does at once."""
    loop = asyncio.get_running_loop()
    until, wait = loop.time() + PATIENCE, 0.02
    while True:
        try:
            return await work()
        except RunHeld:
            if loop.time() > until:
                raise
        await asyncio.sleep(wait)
        wait = min(0.5, wait * 1.6)


async def _by_word(wanted: list[Action], verdict: Verdict, reason: str, book: Book, deps: Deps, user: str) -> None:
    if len(wanted) != 1 or not reason.strip():
        raise ActionRefused(
            "a person's word settles one action, with a reason", hint="name the command and --reason TEXT"
        )
    action = wanted[0]
    if action.state != "manual_review":
        raise ActionRefused(
            f"{action.key} is {action.state}",
            why="the target and the state are asked first",
            hint="reconcile it without a verdict",
        )
    attempt = book.attempts_of(action)[-1]
    outcome: Literal["succeeded", "failed"] = "succeeded" if verdict == "done" else "failed"
    receipt = judge(
        TargetReply(outcome, detail=reason), action.command, attempt, source="person", at=deps.clock.now()
    ).model_copy(update={"by": user, "receipt_id": derived_id("rcp", attempt.attempt_id, "person", outcome)})
    grounds = Grounds(action=ActionGrounds(receipt=receipt))
    why = f"{verdict.replace('_', ' ')}, says {user}: {reason}"
    moved, event = transition(action, outcome, stamp(deps, user), grounds=grounds, reason=why)
    told = action_event(deps, "action.receipt", action.key, why, receipt.receipt_id, by=user)
    await deps.ledger.commit(Writes(records=(moved.model_copy(update={"reason": why}), receipt), events=(told, event)))


async def _renew_report(deps: Deps) -> None:
    report = await deps.ledger.get(IncidentReport, "report")
    if report is not None:
        notes = await notes_of(deps.ledger)
        await deps.ledger.commit(Writes(records=(report.model_copy(update={"actions": notes}),)))


def _named(book: Book, command_id: str, run: Run) -> Action:
    found = next((a for a in book.actions if a.key == command_id), None)
    if found is None:
        raise ActionRefused(f"run {run.run_id} has no action {command_id!r}", hint=f"leadline actions {run.run_id}")
    return found


def _is_open(action: Action) -> bool:
    return action.state in {"pending", "unknown", "manual_review"}
