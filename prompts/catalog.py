"""Which templates there are, which form each one's answer fills, and their content hashes."""

from functools import cache

from ..contracts.base import canonical_json, digest_of
from ..contracts.proposal import (
    ActionsProposal,
    FindingsProposal,
    MechanismProposal,
    MessagesProposal,
    NarrativeProposal,
    PlanProposal,
    ProbeProposal,
    Proposal,
    ReviewProposal,
    TriageProposal,
)
from .engine import template_text

FORM_OF: dict[str, type[Proposal]] = {
    "plan": PlanProposal,
    "triage": TriageProposal,
    "probes": ProbeProposal,
    "findings": FindingsProposal,
    "mechanism": MechanismProposal,
    "review": ReviewProposal,
    "narrative": NarrativeProposal,
    "actions": ActionsProposal,
    "messages": MessagesProposal,
}
COMMON: tuple[str, ...] = ("system", "shared")
"""Templates that stand before every question."""


def prompt_hashes() -> dict[str, str]:
    """Per template, of all that the model is told by it: its text, and for a question its form's schema too."""
    return dict(_hashes())


@cache
def _hashes() -> dict[str, str]:
    hashes = {name: digest_of(template_text(name).encode()) for name in COMMON}
    for name, form in FORM_OF.items():
        hashes[name] = digest_of([template_text(name), canonical_json(form.model_json_schema())])
    return {k: str(v) for k, v in hashes.items()}
