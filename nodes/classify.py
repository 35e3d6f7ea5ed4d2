"""Say how risky the incident is, and so how carefully its tasks are handled."""

from typing import TypedDict, cast

from ..contracts.ports import Deps, Writes
from ..contracts.proposal import TriageProposal
from ..contracts.task import Risk, Task
from ..prompts.questions import TriagePrompt
from ..rules.classification import raised
from .asking import ask, question
from .outcome import Outcome


class ClassifyInput(TypedDict):
    risk: str


class ClassifyUpdate(TypedDict):
    risk: str


async def classify(state: ClassifyInput, deps: Deps) -> Outcome:
    """Adds the risk level to every task. A model may raise what the rules say, never lower it."""
    base = cast(Risk, state["risk"])
    hint = await ask(
        deps, "triage", question(deps, TriagePrompt), TriageProposal(risk=base, why="by rule"), node="classify"
    )
    risk = raised(base, hint.value.risk)
    tasks = await deps.ledger.all(Task)
    changed = tuple(
        t.model_copy(
            update={
                "spec": t.spec.model_copy(
                    update={"risk_level": risk, "priority": "high" if risk == "high" else t.spec.priority}
                )
            }
        )
        for t in tasks
        if t.spec.risk_level != risk
    )
    return Outcome(ClassifyUpdate(risk=risk), Writes(records=changed))
