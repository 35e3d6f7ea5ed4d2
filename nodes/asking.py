"""How nodes put a question to the proposer."""

from collections.abc import Sequence
from typing import TypeVar

from ..contracts.base import derived_id
from ..contracts.event import Event
from ..contracts.ports import Ask, Deps, Prompt, Proposed
from ..contracts.proposal import Proposal
from ..contracts.task import Task
from ..contracts.team import AgentSpec, AskName
from ..prompts.questions import Question
from ..rules.planning import Refusal

P = TypeVar("P", bound=Proposal)


async def ask(
    deps: Deps,
    name: AskName,
    prompt: Prompt,
    baseline: P,
    *,
    node: str,
    about: str = "",
    task: Task | None = None,
    agent: AgentSpec | None = None,
) -> Proposed[P]:
    """Ask for one form; the same run, node, task, attempt and `about` is one question, answered once."""
    parts = (deps.run_id, node, name, task.key if task else "", task.attempt if task else 0, about)
    return await deps.proposer.propose(
        Ask(
            ask_id=derived_id("ask", *parts),
            node=node,
            form=type(baseline),
            prompt=prompt,
            baseline=baseline,
            task_id=task.spec.task_id if task else None,
            agent=agent.id if agent else deps.team.root_owner,
            uses_model=name in deps.team.asks and (agent is None or agent.uses_model),
        )
    )


def common(deps: Deps) -> dict[str, object]:
    """The variables that every prompt of a run shares, equal for all of them."""
    evidence = deps.evidence
    return {"incident": evidence.incident, "coverage": evidence.coverage(), "services": evidence.services()}


def question(deps: Deps, kind: type[Question], **variables: object) -> Question:
    return kind(**common(deps), **variables)  # type: ignore[arg-type]  # fields differ by question; it checks them


def refusals(deps: Deps, node: str, refused: Sequence[Refusal], *, about: str = "") -> tuple[Event, ...]:
    """An event for each thing that was proposed and not taken."""
    return tuple(
        Event(
            event_id=derived_id("evt", deps.run_id, node, about, "refused", n, refusal.what),
            kind="claim.refused",
            subject=refusal.what,
            by=node,
            reason=refusal.why,
            at=deps.clock.now(),
        )
        for n, refusal in enumerate(refused)
    )
