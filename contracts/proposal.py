"""Every form that a model may fill, and nothing else.

Flat, closed, all fields required: small local models keep to them best. Code checks each answer again; a form never
carries an id of ours to invent, a permission, an effect, a state or a confidence.
"""

from typing import Literal

from pydantic import ConfigDict, Field

from .base import Contract


class Proposal(Contract):
    model_config = ConfigDict(use_attribute_docstrings=True, str_max_length=2000)


class ProposedTask(Proposal):
    title: str
    goal: str
    capability: str
    """One of the capabilities that were listed."""
    needs: list[str]
    """Titles of tasks in this plan that must be done first."""
    services: list[str]
    """Services to look at, from the listed ones; empty means all."""


class PlanProposal(Proposal):
    """A plan in addition to the mandatory tasks."""

    why: str
    tasks: list[ProposedTask] = Field(max_length=8)


class TriageProposal(Proposal):
    """How risky the incident looks."""

    risk: Literal["low", "medium", "high"]
    why: str


class ProposedProbe(Proposal):
    probe: str
    """One of the probes that were listed."""
    params_json: str
    """Its parameters as a JSON object, keys as listed."""
    why: str


class ProbeProposal(Proposal):
    """Further questions worth asking."""

    probes: list[ProposedProbe] = Field(max_length=4)


class ProposedClaim(Proposal):
    observation: str
    """Id of the observation that shows it."""
    fact: int
    """Number of the fact in that observation, as listed, from 1."""
    subject: str
    """What it is about, as in the fact."""
    relation: Literal[
        "rises", "falls", "unchanged", "appears", "vanishes", "fails", "slows", "waits_on", "calls", "precedes",
        "touches", "sets", "matches", "states",
    ]  # fmt: skip
    value: float | None
    """The number, as in the fact; null where it has none."""
    why: str
    """Why this matters for the incident, in one sentence."""


class FindingsProposal(Proposal):
    """What the observations show, each statement tied to one fact."""

    claims: list[ProposedClaim] = Field(max_length=12)


class MechanismProposal(Proposal):
    """Does this cause explain that anomaly?"""

    verdict: Literal["yes", "no", "unclear"]
    quotes: list[str] = Field(max_length=4)
    """Lines copied from the source that show it; empty for unclear."""
    why: str


class ProposedObjection(Proposal):
    claim: str
    """Id of the claim."""
    objection: str


class ReviewProposal(Proposal):
    """What is wrong with a report; an empty list where nothing is."""

    objections: list[ProposedObjection] = Field(max_length=8)


class ProposedSentence(Proposal):
    text: str
    claims: list[str]
    """Ids of the accepted claims that carry it."""


class NarrativeProposal(Proposal):
    """The summary, sentence by sentence."""

    sentences: list[ProposedSentence] = Field(max_length=8)


class ProposedAction(Proposal):
    kind: str
    """One of the actions that were listed."""
    target: str
    """One of the services that were listed."""
    arguments_json: str
    """Its arguments as a JSON object, names as listed; {} where it takes none."""
    claims: list[str] = Field(max_length=12)
    """Ids of the claims that speak for it."""
    why: str
    """Why it helps, in one sentence."""


class ActionsProposal(Proposal):
    """What could be done about the cause; an empty list where nothing listed helps."""

    actions: list[ProposedAction] = Field(max_length=4)


class ClarificationProposal(Proposal):
    """Something that the task cannot be finished without."""

    question: str
    why_blocking: str
    options: list[str] = Field(min_length=1, max_length=4)
    """What could be answered; the first is what is done if nobody answers."""
    claims: list[str] = Field(max_length=6)
    """Ids of own claims that it is about."""


class DependencyQuestionProposal(Proposal):
    """A question to the owner of another task."""

    task: str
    """Title of one of the tasks that were listed."""
    question: str
    services: list[str] = Field(max_length=4)
    """Services that the answer should speak of, from the listed ones."""
    claims: list[str] = Field(max_length=6)
    """Ids of own claims that it is about."""


class SubtaskProposal(Proposal):
    """A task that somebody else should do; the lead decides whether."""

    title: str
    reason: str
    capability: str
    """One of the capabilities that were listed."""
    services: list[str] = Field(max_length=4)
    """Services to look at, from the listed ones; empty for all."""
    claims: list[str] = Field(max_length=6)
    """Ids of own claims that speak for it."""


class MessagesProposal(Proposal):
    """What the others should be asked; empty lists where nothing."""

    clarifications: list[ClarificationProposal] = Field(max_length=1)
    questions: list[DependencyQuestionProposal] = Field(max_length=2)
    subtasks: list[SubtaskProposal] = Field(max_length=1)


FORMS: tuple[type[Proposal], ...] = (
    PlanProposal, TriageProposal, ProbeProposal, FindingsProposal, MechanismProposal, ReviewProposal, NarrativeProposal,
    ActionsProposal, MessagesProposal,
)  # fmt: skip
