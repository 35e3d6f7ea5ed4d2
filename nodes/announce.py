"""Put the tasks up on the board."""

from typing import TypedDict

from ..contracts.ports import Deps
from .board import Board
from .outcome import Outcome


class AnnounceInput(TypedDict):
    round: int


class AnnounceUpdate(TypedDict):
    round: int
    open: int


async def announce(state: AnnounceInput, deps: Deps) -> Outcome:
    """Adds every task whose dependencies are over to the board; gives up where none is left to do."""
    board = await Board.load(deps)
    await board.reap()
    return Outcome(AnnounceUpdate(round=state["round"] + 1, open=await board.announce()))
