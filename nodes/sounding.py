"""How a task asks its questions: the analyst's own first, then what a model would ask besides."""

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from ..contracts.base import ObservationId, derived_id
from ..contracts.delegation import CaseView, DelegationBrief
from ..contracts.event import Event
from ..contracts.evidence import Answer, Observation, ProbeCall
from ..contracts.ports import Analyst, Deps
from ..contracts.proposal import ProbeProposal
from ..contracts.task import Task
from ..prompts.questions import ProbesPrompt
from ..rules.planning import Refusal
from .asking import ask, question, refusals

MOST_ROUNDS = 12
"""Rounds of an analyst's questions: enough for any, a stop for one that never ends."""
MOST_FROM_MODEL = 4


Alive = Callable[[str], Awaitable[None]]
"""Told what is being done: a sign of life."""


async def unheard(_doing: str) -> None:
    """Where nobody listens."""


@dataclass
class Sounding:
    """One task's observations as they come in."""

    deps: Deps
    task: Task
    brief: DelegationBrief
    alive: Alive = unheard
    observed: dict[ObservationId, Observation] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    repeats: int = 0
    """Questions that the run had asked before: served from the store."""

    def room(self) -> int:
        return self.brief.budget.probe_calls - len(self.observed)

    async def asked(self, calls: Iterable[ProbeCall]) -> tuple[Observation, ...]:
        """What the task names itself, whatever its analyst asks."""
        return tuple([await self._ask(call, "rules") for call in calls])

    async def by_rules(self, analyst: Analyst, view: CaseView) -> tuple[Observation, ...]:
        """Ask an analyst's questions until it has no more; give what it asked for."""
        mine: dict[ObservationId, Observation] = {}
        for _ in range(MOST_ROUNDS):
            calls = [c for c in analyst.next_questions(view, tuple(mine.values())) if self._id(c) not in mine]
            if not calls or self.room() <= 0:
                break
            for call in calls[: self.room()]:
                mine[self._id(call)] = await self._ask(call, "rules")
        return tuple(mine.values())

    async def by_model(self) -> tuple[Observation, ...]:
        """Ask what a model proposes, where the brief allows it; give only what that added."""
        deps = self.deps
        allowed = tuple(p for p in deps.evidence.probes() if p.name in self.brief.allowed_tools)
        room = min(MOST_FROM_MODEL, self.room())
        if room <= 0:
            return ()
        answer = await ask(
            deps,
            "probes",
            question(
                deps, ProbesPrompt, brief=self.brief, observations=tuple(self.observed.values()), probes=allowed,
                remaining=room,
            ),
            ProbeProposal(probes=[]),
            node="execute",
            task=self.task,
            agent=deps.team.agent(self.brief.to_agent),
        )  # fmt: skip
        before = set(self.observed)
        calls, refused = self._parse(answer.value, room)
        for call in calls:
            observation = await self._ask(call, "model")
            if observation.answer.status == "denied":
                refused.append(Refusal(call.probe, observation.answer.note))
                del self.observed[observation.id]
        self.events += refusals(deps, "execute.probes", refused, about=f"{self.task.key}.{self.task.attempt}")
        return tuple(o for ref, o in self.observed.items() if ref not in before)

    def _parse(self, proposal: ProbeProposal, room: int) -> tuple[list[ProbeCall], list[Refusal]]:
        calls: list[ProbeCall] = []
        refused: list[Refusal] = []
        for item in proposal.probes:
            call, why = _call_of(item.probe, item.params_json, self.brief.allowed_tools)
            if call is None or len(calls) >= room:
                refused.append(Refusal(item.probe[:80], why or "the budget of questions is spent"))
            elif self._id(call) not in self.observed:
                calls.append(call)
        return calls, refused

    def _id(self, call: ProbeCall) -> ObservationId:
        """A refusal is this agent's own; it must not stand in another's way."""
        if call.probe not in self.brief.allowed_tools:
            return ObservationId(derived_id("obs", call.fingerprint, self.task.key, self.brief.to_agent, "denied"))
        return Observation.id_for(call, self.deps.evidence.bundle_digest)

    async def _ask(self, call: ProbeCall, asked_for: Literal["rules", "model"]) -> Observation:
        deps, ref = self.deps, self._id(call)
        known = self.observed.get(ref) or await deps.ledger.get(Observation, ref)
        if known is not None:
            self.repeats += 1
            self.observed[ref] = known
            return known
        await self.alive(f"asks {call.probe}")
        started = deps.clock.monotonic()
        answer = Answer(status="denied", note=f"{self.brief.to_agent} may not run {call.probe!r}")
        if call.probe in self.brief.allowed_tools:
            answer = await deps.evidence.ask(call)
        version = next((p.version for p in deps.evidence.probes() if p.name == call.probe), 0)
        observation = Observation(
            id=ref,
            call=call,
            probe_version=version,
            bundle_digest=deps.evidence.bundle_digest,
            answer=answer,
            answer_digest=answer.digest,
            asked_by=self.brief.to_agent,
            task_id=self.task.spec.task_id,
            asked_for=asked_for,
        )
        self.observed[ref] = observation
        self.events.append(self._answered(observation, deps.clock.monotonic() - started))
        return observation

    def _answered(self, observation: Observation, seconds: float) -> Event:
        return Event(
            event_id=derived_id("evt", self.deps.run_id, self.task.key, observation.id),
            kind="probe.refused" if observation.answer.status == "denied" else "probe.answered",
            subject=observation.id,
            by=self.brief.to_agent,
            reason=observation.answer.note,
            duration_ms=round(seconds * 1000, 3),
            data={"probe": observation.call.probe, "status": observation.answer.status},
            at=self.deps.clock.now(),
        )


def _call_of(probe: str, params_json: str, allowed: Iterable[str]) -> tuple[ProbeCall | None, str]:
    if probe not in set(allowed):
        return None, f"no probe {probe[:60]!r} that this task may run"
    try:
        params = json.loads(params_json or "{}")
    except (ValueError, RecursionError) as fault:
        return None, f"its parameters are no JSON: {fault}"[:200]
    if not isinstance(params, dict):
        return None, "its parameters are no JSON object"
    try:
        return ProbeCall(probe=probe, params=params), ""
    except ValueError as fault:
        return None, f"its parameters are not plain values: {fault}"[:200]
