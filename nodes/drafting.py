"""What an agent's model wants to write, where the team lets models write."""

from ..contracts.delegation import DelegationBrief
from ..contracts.lifecycle import TASK_OVER
from ..contracts.ports import Deps
from ..contracts.proposal import MessagesProposal
from ..contracts.task import Task
from ..prompts.questions import MessagesPrompt
from ..rules.communication.proposals import Listed, drafts_of
from ..rules.narrative import claim_lines
from ..rules.planning import title_of
from .asking import ask, question, refusals
from .correspondence import likely_owner
from .performing import Performed

MOST_TOLD = 24
"""Claims that a model is shown."""


async def drafted(task: Task, brief: DelegationBrief, done: Performed, deps: Deps) -> Performed:
    """The same work with its messages drafted; they pass the gate when they are posted."""
    agent = deps.team.agent(brief.to_agent)
    if "messages" not in deps.team.asks or not agent.uses_model or deps.proposer.name == "rules":
        return done
    others = {t.spec.title: t for t in await deps.ledger.all(Task) if t.key != task.key}
    able = dict.fromkeys(c for t in (task, *others.values()) for c in t.spec.required_capabilities)
    answer = await ask(
        deps,
        "messages",
        question(
            deps,
            MessagesPrompt,
            brief=brief,
            claims=claim_lines([f.claim for f in done.report.findings][:MOST_TOLD]),
            tasks=tuple((title, "is over" if t.state in TASK_OVER else "goes on") for title, t in others.items()),
            capabilities=tuple((c, title_of(c)) for c in able),
        ),
        MessagesProposal(clarifications=[], questions=[], subtasks=[]),
        node="execute",
        task=task,
        agent=agent,
    )
    listed = Listed(
        task,
        done.report,
        {title.casefold(): t for title, t in others.items()},
        frozenset(deps.evidence.services()),
        deps.team,
        lambda t: likely_owner(t, deps),
    )
    wanted = drafts_of(answer.value, listed)
    told = refusals(deps, "execute.messages", wanted.refused, about=f"{task.key}.{task.attempt}")
    return done._replace(drafts=wanted.drafts, events=(*done.events, *told))
