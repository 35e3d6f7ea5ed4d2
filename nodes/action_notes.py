"""What the ledger knows of actions, as the report tells it."""

from ..contracts.action import OutcomeCheck
from ..contracts.ports import Deps, LedgerReader
from ..contracts.report import ActionNote
from ..rules.actions.notes import action_notes, advice_notes
from .action_book import read_book


async def noted_actions(deps: Deps) -> tuple[ActionNote, ...]:
    mode = deps.team.actions.mode
    if mode == "off" or deps.actions is None:
        return ()
    if mode == "propose":
        book = await read_book(deps.ledger)
        return advice_notes(book.proposals, {s.kind: s.effect for s in deps.actions.catalog.kinds})
    return await notes_of(deps.ledger)


async def notes_of(reader: LedgerReader) -> tuple[ActionNote, ...]:
    book = await read_book(reader)
    checks = await reader.all(OutcomeCheck)
    return action_notes(book.actions, book.proposals, tuple(book.decisions.values()), book.receipts, checks)
