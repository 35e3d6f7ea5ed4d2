"""What the model is asked: one dataclass of variables per template file.

`shared` is rendered from the first three fields alone, so it is equal for all agents of a run; keep it that way, the
server's prefix cache lives on it. For the same reason `probes` and `findings` begin with the same two blocks: an agent
asks both about the same observations.
"""

from dataclasses import dataclass, fields
from typing import ClassVar

from ..contracts.action_catalog import ActionSpec
from ..contracts.claim import Claim
from ..contracts.delegation import DelegationBrief
from ..contracts.evidence import Observation, ProbeSpec, SourceCoverage
from ..contracts.incident import Incident
from ..contracts.ports import Rendered
from ..contracts.report import AgentReport, RankedCause, Ranking
from .engine import render


@dataclass(frozen=True, kw_only=True)
class Question:
    template: ClassVar[str]
    """The template's name, without `.j2`."""
    incident: Incident
    coverage: tuple[SourceCoverage, ...]
    services: tuple[str, ...]
    """Services that the telemetry holds."""

    def render(self) -> Rendered:
        return render(self.template, {f.name: getattr(self, f.name) for f in fields(self)})


@dataclass(frozen=True, kw_only=True)
class PlanPrompt(Question):
    template: ClassVar[str] = "plan"
    capabilities: tuple[tuple[str, str], ...]
    """Name and description of what the team can do."""
    mandatory: tuple[str, ...]
    """Titles of the tasks that are planned already."""


@dataclass(frozen=True, kw_only=True)
class TriagePrompt(Question):
    template: ClassVar[str] = "triage"


@dataclass(frozen=True, kw_only=True)
class ProbesPrompt(Question):
    template: ClassVar[str] = "probes"
    brief: DelegationBrief
    observations: tuple[Observation, ...]
    """What was asked already."""
    probes: tuple[ProbeSpec, ...]
    """Those that the agent may run."""
    remaining: int
    """How many more it may ask."""


@dataclass(frozen=True, kw_only=True)
class FindingsPrompt(Question):
    """Facts are numbered from 1 in the order of `answer.facts`: `ProposedClaim.fact` n is `answer.facts[n - 1]`."""

    template: ClassVar[str] = "findings"
    brief: DelegationBrief
    observations: tuple[Observation, ...]
    claims: tuple[Claim, ...]
    """Those that the rules made already."""


@dataclass(frozen=True, kw_only=True)
class MechanismPrompt(Question):
    """Source lines are shown escaped: look a quote up with `block.quoted_in`, which knows both spellings."""

    template: ClassVar[str] = "mechanism"
    cause: RankedCause
    anomaly: tuple[str, ...]
    """What is to be explained, in sentences of code's own."""
    source: tuple[str, ...]
    """Lines that may be quoted."""


@dataclass(frozen=True, kw_only=True)
class ReviewPrompt(Question):
    template: ClassVar[str] = "review"
    report: AgentReport
    claims_text: tuple[tuple[str, str], ...]
    """Id and sentence of each claim of the report."""


@dataclass(frozen=True, kw_only=True)
class NarrativePrompt(Question):
    template: ClassVar[str] = "narrative"
    ranking: Ranking
    claims: tuple[tuple[str, str], ...]
    """Id and sentence of each accepted claim."""


@dataclass(frozen=True, kw_only=True)
class ActionsPrompt(Question):
    template: ClassVar[str] = "actions"
    ranking: Ranking
    claims: tuple[tuple[str, str], ...]
    """Id and sentence of each accepted claim."""
    actions: tuple[ActionSpec, ...]
    """The catalog's entries that may be proposed."""


@dataclass(frozen=True, kw_only=True)
class MessagesPrompt(Question):
    template: ClassVar[str] = "messages"
    brief: DelegationBrief
    claims: tuple[tuple[str, str], ...]
    """Id and sentence of each claim of the task."""
    tasks: tuple[tuple[str, str], ...]
    """Title of each task that may be asked about, and where it stands."""
    capabilities: tuple[tuple[str, str], ...]
    """Name and description of what the team can do."""


QUESTIONS: tuple[type[Question], ...] = (
    PlanPrompt, TriagePrompt, ProbesPrompt, FindingsPrompt, MechanismPrompt, ReviewPrompt, NarrativePrompt,
    ActionsPrompt, MessagesPrompt,
)  # fmt: skip
