"""Which tasks an investigation needs, and which proposed ones may join them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ..contracts.base import AgentId, RunId, TaskId, derived_id
from ..contracts.evidence import ProbeCall, Source, SourceCoverage
from ..contracts.incident import Incident
from ..contracts.ports import Analyst
from ..contracts.proposal import PlanProposal, ProposedTask
from ..contracts.task import Budget, CommunicationPolicy, InputRef, Risk, Scope, Task, TaskSpec

READABLE = frozenset({"ok", "cut"})
TITLES: dict[str, str] = {
    "analyze_metrics": "Metrics: what shifted, and when",
    "analyze_logs": "Logs: what is new, risen or gone",
    "analyze_traces": "Traces: where time and errors arise",
    "analyze_topology": "Call graph: cause side and victims",
    "analyze_changes": "Changes: what could have produced it",
    "analyze_resources": "Resources: what is not healthy",
    "analyze_documents": "Documents and status feeds",
}


class Refusal(NamedTuple):
    what: str
    why: str


class Plan(NamedTuple):
    tasks: tuple[Task, ...]
    refused: tuple[Refusal, ...] = ()


class PlanContext(NamedTuple):
    """What a plan is made from."""

    run_id: RunId
    lead: AgentId
    incident: Incident
    coverage: tuple[SourceCoverage, ...]
    services: frozenset[str]
    risk: Risk
    budget: Budget
    at: datetime
    policy: CommunicationPolicy = CommunicationPolicy()


def readable_sources(coverage: Iterable[SourceCoverage]) -> frozenset[Source]:
    return frozenset(c.source for c in coverage if c.status in READABLE)


def title_of(capability: str) -> str:
    return TITLES.get(capability, capability.replace("_", " ").capitalize())


def mandatory_tasks(analysts: Sequence[Analyst], context: PlanContext) -> tuple[Task, ...]:
    """One task for each analyst that has something to read, in the order of their dependencies."""
    sources = readable_sources(context.coverage)
    able = [a for a in analysts if sources.intersection(a.sources)]
    ids = {a.capability: TaskId(derived_id("tsk", context.run_id, a.capability)) for a in able}
    ordered = _in_dependency_order({a.capability: [c for c in a.after if c in ids] for a in able})
    by_capability = {a.capability: a for a in able}
    return tuple(
        _task(
            context,
            task_id=ids[capability],
            title=title_of(capability),
            goal=f"Say what {', '.join(sorted(sources.intersection(by_capability[capability].sources)))} show about: "
            f"{context.incident.title}",
            capabilities=(capability,),
            needs=tuple(ids[c] for c in by_capability[capability].after if c in ids),
            services=(),
            position=position,
            origin="rules",
        )
        for position, capability in enumerate(ordered)
    )


def whole_task(mandatory: tuple[Task, ...], context: PlanContext) -> tuple[Task, ...]:
    """The same work as one task for one agent: the baseline that teams are measured against."""
    if not mandatory:
        return ()
    whole = _task(
        context,
        task_id=TaskId(derived_id("tsk", context.run_id, "whole")),
        title="The whole incident",
        goal=f"Say what all sources show about: {context.incident.title}",
        capabilities=tuple(c for t in mandatory for c in t.spec.required_capabilities),
        needs=(),
        services=(),
        position=0,
        origin="rules",
    )
    return (whole,)


def follow_up(
    questions: Sequence[ProbeCall], capability: str, between: Sequence[str], context: PlanContext, position: int
) -> Task:
    """A task that asks what would tell the first causes apart."""
    task = _task(
        context,
        task_id=TaskId(derived_id("tsk", context.run_id, "follow-up", *(q.fingerprint for q in questions))),
        title=f"Tell apart: {' or '.join(between)}"[:120],
        goal=f"Ask what separates {' from '.join(between)}",
        capabilities=(capability,),
        needs=(),
        services=(),
        position=position,
        origin="rules",
    )
    spec = task.spec.model_copy(update={"questions": tuple(questions), "required": False})
    return task.model_copy(update={"spec": spec})


def join_proposed(
    mandatory: tuple[Task, ...], proposal: PlanProposal, context: PlanContext, *, most: int = 6, origin: str = "model"
) -> Plan:
    """Add the proposed tasks that hold up; the mandatory ones stand whatever is proposed."""
    tasks = list(mandatory)
    refused: list[Refusal] = []
    capabilities = {t.spec.required_capabilities[0]: t for t in mandatory}
    by_title = {t.spec.title.casefold(): t.spec.task_id for t in mandatory}
    taken = {_scope_key(t.spec.required_capabilities[0], t.spec.scope.allowed_domains) for t in mandatory}
    for proposed in proposal.tasks:
        why = _fault(
            proposed, capabilities, by_title, context.services, taken, room=most - (len(tasks) - len(mandatory))
        )
        if why:
            refused.append(Refusal(proposed.title, why))
            continue
        base = capabilities[proposed.capability]
        services = tuple(sorted(set(proposed.services)))
        needs = [*base.spec.dependencies, *(by_title[n.casefold()] for n in proposed.needs)]
        task = _task(
            context,
            task_id=TaskId(derived_id("tsk", context.run_id, origin, proposed.capability, *services)),
            title=proposed.title[:120],
            goal=proposed.goal[:600],
            capabilities=(proposed.capability,),
            needs=tuple(dict.fromkeys(needs)),
            services=services,
            position=len(tasks),
            origin=origin,
        )
        tasks.append(task)
        taken.add(_scope_key(proposed.capability, services))
        by_title[task.spec.title.casefold()] = task.spec.task_id
    return Plan(tuple(tasks), tuple(refused))


def drop_tasks(tasks: tuple[Task, ...], titles: Iterable[str]) -> Plan:
    """Take out what a person dropped, and what cannot go on without it stays without that dependency."""
    wanted = {t.casefold() for t in titles}
    gone = {t.spec.task_id for t in tasks if t.spec.title.casefold() in wanted}
    known = {t.spec.title.casefold() for t in tasks}
    kept = tuple(
        t.model_copy(
            update={
                "spec": t.spec.model_copy(
                    update={"dependencies": tuple(d for d in t.spec.dependencies if d not in gone)}
                )
            }
        )
        for t in tasks
        if t.spec.task_id not in gone
    )
    return Plan(kept, tuple(Refusal(t, "no task has this title") for t in sorted(wanted - known)))


def _fault(
    proposed: ProposedTask,
    capabilities: Mapping[str, Task],
    titles: Mapping[str, TaskId],
    services: frozenset[str],
    taken: set[tuple[str, tuple[str, ...]]],
    *,
    room: int,
) -> str:
    unknown = sorted(set(proposed.services) - services)
    checks = (
        (room <= 0, "the plan is full"),
        (not proposed.title.strip() or not proposed.goal.strip(), "it has no title or no goal"),
        (proposed.title.casefold() in titles, "another task has its title"),
        (proposed.capability not in capabilities, f"nobody has capability {proposed.capability!r}, or no data for it"),
        (bool(unknown), f"unknown services {unknown}"),
        (
            any(n.casefold() not in titles for n in proposed.needs),
            "it needs a task that is not in the plan before it",
        ),
        (_scope_key(proposed.capability, proposed.services) in taken, "a task with this capability and scope is there"),
    )
    return next((why for bad, why in checks if bad), "")


def _scope_key(capability: str, services: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    return capability, tuple(sorted(set(services)))


def _in_dependency_order(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Stable topological order; a cycle is a fault of whoever declared `after`."""
    done: list[str] = []
    left = dict(needs)
    while left:
        free = [name for name, before in left.items() if all(b in done for b in before)]
        if not free:
            raise ValueError(f"analysts wait for each other: {sorted(left)}")
        done += free
        for name in free:
            del left[name]
    return done


def _task(
    context: PlanContext,
    *,
    task_id: TaskId,
    title: str,
    goal: str,
    capabilities: tuple[str, ...],
    needs: tuple[TaskId, ...],
    services: tuple[str, ...],
    position: int,
    origin: str,
) -> Task:
    spec = TaskSpec(
        task_id=task_id,
        run_id=context.run_id,
        title=title,
        goal=goal,
        why_this_matters=context.incident.question or f"Somebody waits for the cause of: {context.incident.title}",
        non_goals=("change anything", "conclude for the whole incident"),
        task_type="research",
        priority="high" if context.risk == "high" else "medium",
        risk_level=context.risk,
        dependencies=needs,
        required=origin == "rules",
        required_capabilities=capabilities,
        scope=Scope(allowed_domains=services),
        input_refs=(
            *(InputRef(kind="task", ref=n, reason="its accepted claims say where to look") for n in needs),
            InputRef(kind="file", ref="incident.yaml", reason="what was reported"),
        ),
        success_criteria=(
            "every finding repeats a fact of an observation that can be asked again",
            "what could not be seen is said",
        ),
        expected_output="findings with observations, strongest first",
        budget=context.budget,
        communication_policy=context.policy,
        created_by=context.lead,
        created_at=context.at,
        updated_at=context.at,
    )
    return Task.model_validate({"spec": spec, "position": position, "origin": origin})
