"""Agents pull tasks from the board until it holds none that they can do."""

import asyncio
from typing import TypedDict

from ..contracts.errors import AgentLost
from ..contracts.ports import Deps
from ..contracts.team import AgentSpec
from .board import Board, Held
from .drafting import drafted
from .outcome import Outcome
from .performing import perform


class WorkInput(TypedDict):
    round: int


class WorkUpdate(TypedDict):
    wave: list[str]


async def work(_state: WorkInput, deps: Deps) -> Outcome:
    """Adds the reports of one round. An agent that falls silent costs its lease's time, not the task."""
    board = await Board.load(deps)
    await board.reap()
    slots = asyncio.Semaphore(deps.config.max_concurrency)
    agents = [a for a in deps.team.agents if a.accepts_delegation for _ in range(a.max_concurrency)]
    async with asyncio.TaskGroup() as group:
        for agent in agents:
            group.create_task(_pull(agent, board, slots))
    return Outcome(WorkUpdate(wave=[str(t) for t in board.submitted]))


async def _pull(agent: AgentSpec, board: Board, slots: asyncio.Semaphore) -> None:
    """One worker: claim, work, submit, until nothing is open and nobody's lease can run out any more."""
    while True:
        async with slots:
            held = await board.take(agent)
            if held is not None:
                try:
                    await _do(held, board)
                except AgentLost:
                    return  # silent from here on: the lease tells the others
                continue
        if not board.active():
            return
        await board.wait()


async def _do(held: Held, board: Board) -> None:
    done = await perform(held.task, held.brief, board.deps, alive=lambda told: board.beat(held, told))
    if done.observed_nothing and board.others_can(held):
        await board.release(held, done, "it may ask none of the questions that the task needs")
    else:
        await board.submit(held, await drafted(held.task, held.brief, done, board.deps))
