"""A domain lead tells the root what its domain found: claims by reference, never observations."""

from typing import TypedDict

from ..contracts.arbitration import Candidate
from ..contracts.claim import Claim
from ..contracts.lifecycle import STANDING
from ..contracts.ports import Deps, Writes
from ..contracts.report import DomainSummary
from ..contracts.task import Task
from ..rules.allocation import domain_lead, within
from ..rules.wording import say
from .outcome import Outcome


class SummarizeInput(TypedDict):
    domain: str


class SummarizeUpdate(TypedDict):
    pass


async def summarize(state: SummarizeInput, deps: Deps) -> Outcome:
    """Adds the domain's summary; what its tasks could not do is an open question of it."""
    domain = state["domain"]
    tasks = within(await deps.ledger.all(Task), domain)
    ids = {t.spec.task_id for t in tasks}
    standing = [c for c in await deps.ledger.all(Candidate) if c.state in STANDING and c.task_id in ids]
    carried = tuple(ref for candidate in standing for ref in candidate.claims)
    claims = {c.id: c for c in await deps.ledger.all(Claim)}
    strongest = max((claims[c] for c in carried), key=lambda c: (c.strength, c.id), default=None)
    summary = DomainSummary(
        domain=domain,
        lead=domain_lead(deps.team, domain),
        tasks=tuple(t.spec.task_id for t in tasks),
        claims=tuple(dict.fromkeys(carried)),
        headline=f"{len(carried)} claims hold" + (f"; strongest: {say(strongest)}" if strongest else ""),
        open_questions=tuple(f"not done: {t.spec.title}" for t in tasks if t.state == "cancelled"),
    )
    return Outcome(SummarizeUpdate(), Writes(records=(summary,)))
