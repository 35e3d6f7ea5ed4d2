"""From cause to alert along observed edges, and what puts it right."""

from collections.abc import Sequence

from ...contracts.base import ClaimId
from ...contracts.report import ChainLink, Remedy
from .board import Board
from .candidates import Candidate
from .taxonomy import reason

MAX_LINKS = 8


def chain_of(board: Board, top: Candidate, first: str, affected: Sequence[str]) -> tuple[ChainLink, ...]:
    """Cause to the first failing service, then callers in the order in which the call graph reaches them."""
    links = []
    source = top.cause.ref if top.cause.kind != "none" else (top.reason or "outside cause")
    if first and source != first:
        links.append(ChainLink(source=source, target=first, how=top.note, claims=top.claims_for[:6]))
    reached, frontier = {first}, [first]
    while frontier and len(links) < MAX_LINKS:
        at = frontier.pop(0)
        for caller in sorted({a for a, b in board.edges if b == at and a in affected} - reached):
            reached.add(caller)
            frontier.append(caller)
            links.append(
                ChainLink(source=at, target=caller, how=f"{caller} calls {at}", claims=_shown(board, caller, at))
            )
    return tuple(links[:MAX_LINKS])


def remedies_of(top: Candidate, first: str) -> tuple[Remedy, ...]:
    known = reason(top.reason)
    action = top.remedy or (known.remedy if known else "") or ("rollback" if top.cause.kind == "change" else "")
    if not action:
        return ()
    target = top.cause.service or first or top.cause.ref
    return (Remedy(action=action, target=target, why=top.claims_for[:6]),)


def _shown(board: Board, caller: str, callee: str) -> tuple[ClaimId, ...]:
    edge = [
        c.id
        for c in board.claims
        if c.relation in {"calls", "waits_on"}
        and (c.subject.ref == f"{caller}->{callee}" or (c.subject.ref == caller and c.object == callee))
    ]
    hurt = [s.claim.id for s in board.telling if s.claim and s.service == caller]
    return (*edge[:2], *hurt[:3])
