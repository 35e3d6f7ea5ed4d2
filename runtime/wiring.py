"""From settings to parts: the one place where ports get their implementations."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..adapters.clock import SystemClock
from ..adapters.models.rules import RulesProposer
from ..adapters.uptime import SystemUptime
from ..contracts.ports import ActionTarget, Clock, Evidence, Ledger, OpenFresh, Proposer, Uptime
from ..contracts.run import RunConfig
from ..contracts.team import TeamSpec
from ..evidence.opened import open_bundle
from .hooks import transition_hooks
from .outcome import Watcher
from .team import load_team

if TYPE_CHECKING:
    from ..adapters.models.probe import Prober

OpenEvidence = Callable[[Path], Evidence]
LoadTeam = Callable[[Path | None], TeamSpec]
MakeProposer = Callable[[RunConfig, Ledger, Clock], Awaitable[Proposer]]


class Proposers:
    """Makes the proposer of a run; what it learns of a model it remembers for as long as it lives."""

    def __init__(self) -> None:
        self._prober: Prober | None = None

    async def __call__(self, config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
        """Rules, or the run's own Ollama model; a server that is down by now shows in the report, not here."""
        if config.model == "rules":
            return RulesProposer()
        from ..adapters.models.ollama import OllamaProposer  # noqa: PLC0415 - heavy, and most runs have no model
        from ..adapters.models.probe import Prober  # noqa: PLC0415

        self._prober = self._prober or Prober(clock)
        name = config.model.removeprefix("ollama:")
        proposer = OllamaProposer(
            name,
            config.ollama_url,
            ledger=ledger,
            clock=clock,
            budget=config.team.budget,
            num_ctx=config.num_ctx,
            prober=self._prober,
            digest=config.model_digest,
        )
        await proposer.open()
        return proposer


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a service is put together from; tests and benchmarks hand in their own."""

    open_evidence: OpenEvidence = open_bundle
    make_proposer: MakeProposer = field(default_factory=Proposers)
    load_team: LoadTeam = load_team
    clock: Clock = field(default_factory=SystemClock)
    hooks: Callable[[], tuple[Watcher, ...]] = transition_hooks
    """Told of every change of state, after it is committed."""
    uptime: Uptime = field(default_factory=SystemUptime)
    fresh: OpenFresh | None = None
    """The live source that says whether an action helped."""
    targets: Mapping[str, ActionTarget] = field(default_factory=dict)
    """In place of the catalog's targets of these names."""


@asynccontextmanager
async def evidence_of(path: Path, parts: Parts) -> AsyncIterator[Evidence]:
    """An opened bundle; opening reads the files once, off the event loop."""
    evidence = await asyncio.to_thread(parts.open_evidence, path)
    try:
        yield evidence
    finally:
        evidence.close()
