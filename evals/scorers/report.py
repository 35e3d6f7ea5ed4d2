"""The parts of a report that scorers read, from its JSON; everything else is ignored."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ...contracts.incident import CauseKind
from ...contracts.report import Outcome


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Cause(_Part):
    kind: CauseKind
    ref: str
    service: str = ""
    reason: str = ""
    onset: str | None = None
    confidence: float = 0.0
    claims: tuple[str, ...] = ()


class Claim(_Part):
    id: str
    text: str = ""
    observations: tuple[str, ...] = ()
    verified: bool = False
    service: str = ""


class Remedy(_Part):
    action: str
    target: str = ""


class Source(_Part):
    source: str
    status: str


class Usage(_Part):
    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    probe_calls: int = 0
    prompt_chars: int = 0
    shared_chars: int = 0
    seconds: float = 0.0


class ScoredReport(_Part):
    """Causes are in rank order."""

    outcome: Outcome
    causes: tuple[Cause, ...] = ()
    first_failing_service: str = ""
    affected_services: tuple[str, ...] = ()
    remediation: tuple[Remedy, ...] = ()
    claims: tuple[Claim, ...] = ()
    coverage: tuple[Source, ...] = ()
    headline: str = ""
    missing: tuple[str, ...] = ()
    usage: Usage = Field(default_factory=Usage)

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> "ScoredReport":
        """Sort by `rank` where the report gives one."""
        causes = sorted(report.get("causes") or [], key=lambda cause: cause.get("rank", 0))
        return cls.model_validate({**report, "causes": causes})

    @property
    def first(self) -> Cause | None:
        """The answer; None where the report does not name one."""
        return self.causes[0] if self.outcome == "cause_found" and self.causes else None

    def claim(self, claim_id: str) -> Claim | None:
        return next((claim for claim in self.claims if claim.id == claim_id), None)
