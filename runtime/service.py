"""The run service: start, resume, retry, cancel. Every way of using leadline goes through it."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

from langgraph.types import Interrupt

from ..adapters.models.discover import ModelChoice, choose
from ..adapters.store import SqlRunStore, open_store
from ..adapters.store.checkpoints import open_checkpointer
from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.arbitration import ArbitrationRecord, Conflict, ConflictSide
from ..contracts.base import ObservationId, RunId, derived_id
from ..contracts.claim import Claim
from ..contracts.errors import LeadlineError, UsageError
from ..contracts.event import Event
from ..contracts.evidence import Answer, Observation
from ..contracts.lifecycle import RUN_OVER, RunState
from ..contracts.ports import Deps, Evidence, Ledger, LedgerReader, Writes
from ..contracts.report import IncidentReport
from ..contracts.run import Run, RunConfig, RunLease
from ..graph.versions import structure_hash, version
from ..prompts.catalog import prompt_hashes
from ..rules.conflicts import rule_on
from ..rules.reporting import exit_code
from ..rules.verification import verdict_on
from . import answers
from .action_catalog import load_catalog
from .desk import desk_of_run
from .held import held, holder_name
from .outcome import PersonAnswer, RunOutcome, StartRequest, Watcher, unwatched
from .pins import refuse_stale
from .segment import Segment, Standing, asked_in
from .settings import Settings
from .team import adjusted
from .wiring import Parts, evidence_of


@asynccontextmanager
async def open_service(settings: Settings, parts: Parts | None = None) -> AsyncIterator["RunService"]:
    """A service on the settings' database; raise `StoreError` where that cannot be used."""
    built = parts or Parts()
    async with open_store(settings.database, built.clock, synchronous=settings.synchronous) as store:
        yield RunService(store, settings, built)


class Holding(NamedTuple):
    """A run while this process works on it."""

    run: Run
    lease: RunLease
    evidence: Evidence
    ledger: Ledger


class RunService:
    def __init__(self, store: SqlRunStore, settings: Settings, parts: Parts) -> None:
        self.store = store
        self.settings = settings
        self._parts = parts

    @property
    def parts(self) -> Parts:
        """What it was put together from."""
        return self._parts

    async def choose_model(self, model: str | None = None) -> ModelChoice:
        """Raise `UsageError` for a model that was asked for and is not there."""
        return await choose(model or self.settings.model, self.settings.ollama_url)

    async def start(
        self, request: StartRequest, watch: Watcher = unwatched, began: Callable[[Run], None] | None = None
    ) -> RunOutcome:
        """Investigate a bundle. `began` is told the run before its first step."""
        graph = version(request.graph or self.settings.graph)
        act = "off" if request.evaluation else request.act
        team = adjusted(self._parts.load_team(request.team or self.settings.team), self.settings, request.ask, act)
        if team.actions.mode != "off":
            load_catalog(self.settings.actions)
        choice = await self.choose_model(request.model)
        async with evidence_of(request.bundle, self._parts) as evidence:
            config = RunConfig(
                bundle_path=str(request.bundle.resolve()),
                bundle_digest=evidence.bundle_digest,
                incident_id=evidence.incident.id,
                title=evidence.incident.title,
                graph_version=graph.name,
                structure_hash=structure_hash(graph.name),
                prompt_hashes=prompt_hashes(),
                team=team.model_copy(update={"topology": graph.topology}),
                model=choice.model,
                model_reason=choice.reason,
                model_digest=choice.digest,
                ollama_url=choice.url,
                num_ctx=self.settings.num_ctx,
                max_concurrency=self.settings.max_concurrency,
                user=self.settings.user,
                evaluation=request.evaluation,
                actions_catalog=str(self.settings.actions.resolve()) if self.settings.actions else "",
            )
            now = self._parts.clock.now()
            run = Run(run_id=RunId(f"run-{secrets.token_hex(4)}"), config=config, created_at=now, updated_at=now)
            lease = await self.store.create(run, holder_name(), self.settings.lease_seconds)
            if began is not None:
                began(run)
            async with held(self.store, lease, self.settings.lease_seconds):
                return await self._work(self._holding(run, lease, evidence, watch), None)

    async def resume(self, run_id: str, answer: PersonAnswer | None = None, watch: Watcher = unwatched) -> RunOutcome:
        """Go on with a run, with a person's answer where one is due.

        Raises:
            UnknownRun, RunHeld, StaleRun, ApprovalRefused: and nothing has changed.
        """
        run = await self.store.run(RunId(run_id))
        if run.state in RUN_OVER:
            if answer is not None:
                await answers.open_request(self.store.reader(run.run_id), answer.approval_id, frozenset(), run.run_id)
            return await self._outcome(run)
        lease = await self.store.take(run.run_id, holder_name(), self.settings.lease_seconds)
        async with (
            held(self.store, lease, self.settings.lease_seconds),
            evidence_of(Path(run.config.bundle_path), self._parts) as evidence,
        ):
            refuse_stale(run, evidence.bundle_digest)
            return await self._work(self._holding(run, lease, evidence, watch), answer)

    async def retry(self, run_id: str, watch: Watcher = unwatched) -> RunOutcome:
        """Run again what failed, and only that; what failed stays in the history."""
        run = await self.store.run(RunId(run_id))
        if run.state != "failed":
            raise UsageError(f"run {run.run_id} did not fail: it is {run.state}", hint=f"leadline show {run.run_id}")
        return await self.resume(run.run_id, None, watch)

    async def cancel(self, run_id: str, reason: str) -> Run:
        """End a run for good; raise `RunHeld` while a process works on it."""
        run = await self.store.run(RunId(run_id))
        if run.state in RUN_OVER:
            raise UsageError(f"run {run.run_id} is over: it is {run.state}", hint=f"leadline show {run.run_id}")
        lease = await self.store.take(run.run_id, holder_name(), self.settings.lease_seconds)
        async with held(self.store, lease, self.settings.lease_seconds):
            await self._set_state(self.store.ledger(lease), lease, "cancelled", reason)
        return await self.store.run(run.run_id)

    async def rerun(self, run_id: str, observation_id: str) -> tuple[Observation, Answer]:
        """Ask a recorded question again, on the bundle as it is now."""
        run = await self.store.run(RunId(run_id))
        observation = await self.store.reader(run.run_id).get(Observation, ObservationId(observation_id))
        if observation is None:
            raise UsageError(
                f"run {run.run_id} has no observation {observation_id!r}", hint=f"leadline evidence {run.run_id}"
            )
        async with evidence_of(Path(run.config.bundle_path), self._parts) as evidence:
            return observation, await evidence.ask(observation.call)

    async def arbitrate_again(
        self, run_id: str, arbitration_id: str, *, ask: bool = True
    ) -> tuple[ArbitrationRecord, ArbitrationRecord]:
        """The ruling as it was made, and as it would be made now, with every side's questions asked again.

        Without `ask` the second is the first.
        """
        run = await self.store.run(RunId(run_id))
        reader = self.store.reader(run.run_id)
        made = await reader.get(ArbitrationRecord, arbitration_id)
        conflict = await reader.get(Conflict, made.conflict_id) if made else None
        if made is None or conflict is None:
            raise UsageError(
                f"run {run.run_id} has no arbitration {arbitration_id!r}", hint=f"leadline decisions {run.run_id}"
            )
        if not ask:
            return made, made
        async with evidence_of(Path(run.config.bundle_path), self._parts) as evidence:
            holds = {side.ref: await self._holds(side, reader, evidence) for side in conflict.sides}
        person = _as_decided(made)
        return made, rule_on(conflict, run_id=run.run_id, at=made.created_at, holds=holds, person=person).record

    async def _holds(self, side: ConflictSide, reader: LedgerReader, evidence: Evidence) -> bool:
        """Whether a claim still stands when its questions are asked again; what is no claim holds."""
        claim = await reader.get(Claim, side.ref)
        if claim is None:
            return True
        found = [await reader.get(Observation, ref) for ref in claim.observations]
        recorded = {o.id: o for o in found if o is not None}
        again = {ref: await evidence.ask(o.call) for ref, o in recorded.items()}
        return verdict_on(claim, recorded, again).verdict == "supported"

    def _holding(self, run: Run, lease: RunLease, evidence: Evidence, watch: Watcher) -> Holding:
        ledger = self.store.ledger(lease)
        for hook in (*self._parts.hooks(), watch):
            ledger.subscribe(hook)
        return Holding(run, lease, evidence, ledger)

    async def _work(self, holding: Holding, answer: PersonAnswer | None) -> RunOutcome:
        run, lease, evidence, ledger = holding
        clock = self._parts.clock
        proposer = await self._parts.make_proposer(run.config, ledger, clock)
        try:
            async with (
                desk_of_run(run.config, self.settings, self._parts) as desk,
                open_checkpointer(self.store.database, lease) as saver,
            ):
                deps = Deps(
                    run_id=run.run_id,
                    config=run.config,
                    team=run.config.team,
                    evidence=evidence,
                    proposer=proposer,
                    ledger=ledger,
                    clock=clock,
                    started=clock.monotonic(),
                    actions=desk,
                )
                standing = await self._advance(Segment(saver, deps), holding, answer)
        except LeadlineError:
            raise
        except Exception as fault:
            await self._set_state(ledger, lease, "failed", f"{type(fault).__name__}: {fault}"[:500])
            raise
        finally:
            await proposer.close()
        await self._settle(standing, holding)
        return await self._outcome(await self.store.run(run.run_id))

    async def _advance(self, segment: Segment, holding: Holding, answer: PersonAnswer | None) -> Standing:
        """Answer what has an answer, until the run waits for a person or is done."""
        standing = await segment.standing()
        pending = {asked_in(i): i for i in standing.interrupts}
        if answer is not None:
            request = await answers.open_request(
                holding.ledger, answer.approval_id, frozenset(pending), holding.run.run_id
            )
            await answers.decide(
                self.store,
                holding.ledger,
                request,
                answer,
                user=self.settings.user,
                clock=self._parts.clock,
                uptime=self._parts.uptime.mark(),
            )
        if standing.started:
            await self._tell_resumed(holding)
        if holding.run.state != "running":
            await self.store.set_state(holding.lease, "running")
        return await segment.go(await self._answered(pending, holding))

    async def _tell_resumed(self, holding: Holding) -> None:
        event = Event(
            event_id=derived_id("evt", holding.run.run_id, "resumed", holding.lease.epoch),
            kind="run.resumed",
            subject=holding.run.run_id,
            by="service",
            reason=f"by {holding.lease.holder}, lease epoch {holding.lease.epoch}",
            at=self._parts.clock.now(),
        )
        await holding.ledger.commit(Writes(events=(event,)))

    async def _answered(self, pending: dict[str, Interrupt], holding: Holding) -> dict[str, dict[str, str]]:
        """Answers to pending interrupts, by interrupt id: given now, given before a crash, or by a timeout."""
        found: dict[str, dict[str, str]] = {}
        for approval_id, interrupt in pending.items():
            decision = await holding.ledger.get(ApprovalDecision, approval_id)
            if decision is None:
                request = await holding.ledger.get(ApprovalRequest, approval_id)
                uptime = self._parts.uptime.mark()
                decision = await answers.expire(holding.ledger, request, self._parts.clock, uptime) if request else None
            if decision is not None:
                found[interrupt.id] = {"decision": decision.decision}
        return found

    async def _settle(self, standing: Standing, holding: Holding) -> None:
        """Give the run the state that its graph is in."""
        if standing.interrupts:
            asked = ", ".join(asked_in(i) for i in standing.interrupts)
            await self._set_state(holding.ledger, holding.lease, "waiting", f"for an answer to {asked}")
        elif standing.values.get("plan") in {"rejected", "expired"}:
            decision = await holding.ledger.get(ApprovalDecision, standing.values.get("approval", ""))
            why = f"plan {decision.decision} by {decision.by}: {decision.reason}" if decision else "plan rejected"
            await self._set_state(holding.ledger, holding.lease, "cancelled", why)
        else:
            await self._set_state(holding.ledger, holding.lease, "concluded", standing.values.get("stop", ""))

    async def _set_state(self, ledger: Ledger, lease: RunLease, state: RunState, reason: str) -> None:
        now = self._parts.clock.now().astimezone(UTC)
        kind = "run.concluded" if state == "concluded" else f"run.{state}"
        event = Event.model_validate(
            {
                "event_id": derived_id("evt", lease.run_id, kind, reason),
                "kind": kind,
                "subject": lease.run_id,
                "by": "service",
                "reason": reason,
                "at": now,
            }
        )
        await ledger.commit(Writes(events=(event,)))
        await self.store.set_state(lease, state, reason)

    async def _outcome(self, run: Run) -> RunOutcome:
        reader = self.store.reader(run.run_id)
        report = await reader.get(IncidentReport, "report")
        waiting = None
        if run.state == "waiting":
            requests = await reader.all(ApprovalRequest)
            decided = {d.approval_id for d in await reader.all(ApprovalDecision)}
            waiting = next((r for r in requests if r.approval_id not in decided), None)
        stopped = run.state == "concluded" and bool(run.reason)
        return RunOutcome(run, report, waiting, exit_code(report, run, stopped=stopped))


def _as_decided(record: ArbitrationRecord) -> str:
    """What the owner of a requirement had decided; nobody is asked again for that."""
    if record.authority.type != "person" or record.decided_by.startswith("policy:"):
        return ""
    return "keep" if any(ref.startswith("requirement:") for ref in record.upheld) else "set_aside"
