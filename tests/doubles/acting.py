"""Runs that may act: paper evidence with a remedy, a catalog whose target lies, clocks that a test moves."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.models.scripted import Script, ScriptedProposer
from leadline.adapters.store.schema import ensure_schema
from leadline.contracts.approval import UptimeMark
from leadline.contracts.claim import Claim
from leadline.contracts.ports import ActionTarget, Clock, Ledger, OpenFresh, Proposer
from leadline.contracts.report import Ranking, Remedy
from leadline.contracts.run import RunConfig
from leadline.contracts.team import TeamSpec
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import Settings, load_settings
from leadline.runtime.team import load_team
from leadline.runtime.wiring import Parts
from tests.doubles.paper import NOON, PaperEvidence

ACT = StartRequest(bundle=Path("paper"), act="act")
CATALOG = """
schema: 1
name: test
limits: {actions: 3, writes: 3, irreversible: 1, risk_points: 8}
targets:
  dry-run: {type: dry-run}
  lying: {type: dry-run}
kinds:
  - kind: rollback
    title: Take a change back
    effect: reversible_write
    risk: medium
    target: lying
    remedies: [rollback]
    arguments: {change: {source: cause}}
    compensation: {kind: roll-forward, arguments: {change: "{change}"}}
    call_seconds: 0.3
    settle_seconds: 0.05
    polling: {every_seconds: 0.01, at_most: 8}
    check_after_seconds: 0
    per_run: 2
  - kind: roll-forward
    title: Bring a change out again
    effect: reversible_write
    risk: medium
    target: lying
    arguments: {change: {}}
    call_seconds: 0.3
    settle_seconds: 0.05
    polling: {every_seconds: 0.01, at_most: 8}
    check_after_seconds: 0
  - kind: scale
    title: Set how many instances run
    effect: reversible_write
    risk: low
    target: lying
    approvers: [ada, bob]
    arguments: {replicas: {type: integer, minimum: 1, maximum: 20}}
    remedies: [scale]
    call_seconds: 0.3
    settle_seconds: 0.05
    polling: {every_seconds: 0.01, at_most: 8}
  - kind: wipe
    title: Delete data
    effect: irreversible_write
    risk: high
    target: lying
    resources: ["cellar-*"]
"""


@dataclass
class Remedied(PaperEvidence):
    """Paper evidence whose ranking says what to do."""

    remedies: tuple[tuple[str, str], ...] = (("rollback", "till"),)

    def rank(self, claims: Sequence[Claim]) -> Ranking:
        ranking = super().rank(claims)
        if not ranking.causes:
            return ranking
        why = ranking.causes[0].claims_for[:1]
        return ranking.model_copy(
            update={"remediation": tuple(Remedy(action=a, target=t, why=why) for a, t in self.remedies)}
        )


class MovedClock:
    """A wall clock that can be set, and a monotonic one that cannot."""

    def __init__(self) -> None:
        self.wall = NOON
        self.ticks = 1000.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.ticks

    def pass_by(self, by: timedelta) -> None:
        """Time goes on."""
        self.wall += by
        self.ticks += by.total_seconds()

    def set_back(self, by: timedelta) -> None:
        """Somebody sets the wall clock; no time passes."""
        self.wall -= by


@dataclass
class MovedUptime:
    clock: MovedClock
    boot: str = "boot-1"

    def mark(self) -> UptimeMark | None:
        return UptimeMark(boot=self.boot, seconds=self.clock.ticks)


@dataclass
class Stage:
    """Where a test's runs act: everything that a service is put together from."""

    folder: Path
    target: ActionTarget
    evidence: PaperEvidence = field(default_factory=Remedied)
    script: Script | None = None
    clock: Any = None
    uptime: Any = None
    fresh: OpenFresh | None = None
    user: str = "ada"
    catalog: str = CATALOG

    def settings(self, **more: Any) -> Settings:
        path = self.folder / "actions.yaml"
        if not path.exists() or path.read_text("utf-8") != self.catalog:  # other processes may be reading it
            path.write_text(self.catalog, "utf-8")
        given = {"database": self.folder / "runs.db", "model": "rules", "user": self.user, "actions": path}
        return load_settings(**(given | more))

    def parts(self) -> Parts:
        async def make(_config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
            return RulesProposer() if self.script is None else ScriptedProposer(self.script, ledger=ledger, clock=clock)

        more: dict[str, Any] = {} if self.clock is None else {"clock": self.clock}
        if self.uptime is not None:
            more["uptime"] = self.uptime
        return Parts(
            open_evidence=lambda _path: self.evidence, make_proposer=make, targets={"lying": self.target},
            fresh=self.fresh, load_team=shipped_team, **more,
        )  # fmt: skip

    def open(self, **more: Any) -> Any:
        """`async with stage.open() as service:`."""
        settings = self.settings(**more)
        if not settings.database.exists():
            shutil.copy(empty_database(), settings.database)
        return open_service(settings, self.parts())


@cache
def shipped_team(_path: Path | None) -> TeamSpec:
    return load_team()


@cache
def empty_database() -> Path:
    """Made once: bringing a new file up to date takes longer than most tests."""
    path = Path(tempfile.mkdtemp(prefix="leadline-empty-")) / "empty.db"
    ensure_schema(path, 10.0)
    return path
