"""Asking for more: a follow-up task where a question is left that would tell the first causes apart."""

from collections.abc import Sequence

from ..contracts.evidence import Observation, ProbeCall
from ..contracts.ports import Deps
from ..contracts.report import Ranking
from ..contracts.task import Risk, Task
from ..rules.margin import contenders
from ..rules.planning import follow_up
from ..rules.wording import name_cause
from .delegate import overrun
from .outcome import plan_context

MOST_FOLLOW_UPS = 2


async def separating_calls(ranking: Ranking, deps: Deps) -> tuple[ProbeCall, ...]:
    """Questions that were not asked in this run, the most telling first; none where one cause stands apart."""
    if len(contenders(ranking, deps.team.margin)) < 2:
        return ()
    asked = [o.call for o in await deps.ledger.all(Observation)]
    return deps.evidence.separating(ranking, asked)


async def follow_up_for(calls: Sequence[ProbeCall], ranking: Ranking, risk: Risk, deps: Deps) -> Task | None:
    """A task for the analyst who reads what the first question reads; None where the budget or the rounds are spent."""
    tasks = await deps.ledger.all(Task)
    done = sum(bool(t.spec.questions) for t in tasks)
    if not calls or done >= MOST_FOLLOW_UPS or overrun(deps):
        return None
    specs = {p.name: p for p in deps.evidence.probes()}
    first = specs.get(calls[0].probe)
    able = next((a for a in deps.evidence.analysts() if first and set(first.sources) & set(a.sources)), None)
    if able is None:
        return None
    same = [c for c in calls if c.probe in specs and set(specs[c.probe].sources) & set(able.sources)]
    rivals = [name_cause(c.cause) for c in contenders(ranking, deps.team.margin)]
    return follow_up(same, able.capability, rivals, plan_context(deps, risk), len(tasks))
