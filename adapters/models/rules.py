"""No model: every form is filled from the analysts' results, which each question carries with it."""

from typing import TypeVar

from ...contracts.ports import Ask, Proposed
from ...contracts.proposal import Proposal
from ...contracts.report import Usage

P = TypeVar("P", bound=Proposal)


class RulesProposer:
    """Implements `Proposer`."""

    name = "rules"

    async def propose(self, ask: Ask[P]) -> Proposed[P]:
        return Proposed(value=ask.baseline, origin="rules")

    def usage(self) -> Usage:
        return Usage()

    async def close(self) -> None:
        """Nothing is held open."""
