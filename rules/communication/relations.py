"""How two parties stand to each other in a team."""

from collections.abc import Mapping
from typing import Literal

from ...contracts.base import AgentId, TaskId
from ...contracts.message import USER
from ...contracts.task import Task
from ...contracts.team import TeamSpec
from ..allocation import domain_lead

Role = Literal["user", "root_lead", "domain_lead", "verifier", "agent"]
Relation = Literal[
    "user_lead",  # the person and the root lead
    "lead_agent",  # a lead and an agent that works for it directly
    "lead_verifier",
    "verifier_agent",
    "peers",  # two agents, on one board or in one domain
    "peers_across",  # two agents of different domains of a hierarchy
    "domain_lead_root",
    "domain_leads",  # leads of two domains
    "over_a_lead",  # somebody and an agent of a domain, past its lead
    "user_agent",  # the person and anybody but the root lead
    "broadcast",
    "oneself",
]
LEADS: frozenset[Role] = frozenset({"root_lead", "domain_lead"})


def role_of(agent: AgentId, team: TeamSpec) -> Role:
    if agent == USER:
        return "user"
    if agent == team.root_owner:
        return "root_lead"
    held = team.agent(agent).capabilities
    if "lead_domain" in held and team.topology == "hierarchical":
        return "domain_lead"
    return "verifier" if "verify" in held else "agent"


def lead_of(task: Task | None, team: TeamSpec) -> AgentId:
    """Who answers for a task to the outside: its domain's lead in a hierarchy, else the root owner."""
    domain = task.spec.assignment.domain_scope if task is not None else ""
    return domain_lead(team, domain) if domain and team.topology == "hierarchical" else team.root_owner


def domain_in(agent: AgentId, task: Task | None, team: TeamSpec) -> str:
    """An agent of no domain belongs, for a task that it has, to the task's domain."""
    own = team.agent(agent).domain
    if own or task is None or task.spec.assignment.owner != agent:
        return own
    return task.spec.assignment.domain_scope


def relation_of(one: AgentId, other: AgentId | None, task: Task | None, team: TeamSpec) -> Relation:
    """The same from both ends."""
    if other is None:
        return "broadcast"
    if one == other:
        return "oneself"
    roles = {role_of(one, team), role_of(other, team)}
    if "user" in roles:
        return "user_lead" if "root_lead" in roles else "user_agent"
    if roles & LEADS:
        return "lead_verifier" if "verifier" in roles else _with_a_lead(one, other, task, team)
    return "verifier_agent" if "verifier" in roles else _between_agents(one, other, task, team)


def _between_agents(one: AgentId, other: AgentId, task: Task | None, team: TeamSpec) -> Relation:
    if team.topology == "hierarchical" and domain_in(one, task, team) != domain_in(other, task, team):
        return "peers_across"
    return "peers"


def _with_a_lead(one: AgentId, other: AgentId, task: Task | None, team: TeamSpec) -> Relation:
    roles = role_of(one, team), role_of(other, team)
    if roles == ("domain_lead", "domain_lead"):
        return "domain_leads"
    if set(roles) <= LEADS:
        return "domain_lead_root"
    lead, worker = (one, other) if roles[0] in LEADS else (other, one)
    domain = domain_in(worker, task, team) if team.topology == "hierarchical" else ""
    own_lead = domain_lead(team, domain) if domain else team.root_owner
    return "lead_agent" if lead == own_lead else "over_a_lead"


def participants(tasks: Mapping[TaskId, Task], ids: tuple[TaskId, ...], team: TeamSpec) -> frozenset[AgentId]:
    """Who has to do with these tasks: owners or who could be, reviewers, verifiers, and those who lead them."""
    found: set[AgentId] = {team.root_owner}
    for task in (tasks[i] for i in ids if i in tasks):
        given = task.spec.assignment
        found.update(a for a in (given.owner, given.reviewer, given.verifier, *given.candidates) if a is not None)
        found.add(lead_of(task, team))
        if given.owner is None:
            needed = set(task.spec.required_capabilities)
            found.update(a.id for a in team.agents if needed <= set(a.capabilities))
    return frozenset(found)


def tied(one: TaskId, other: TaskId, tasks: Mapping[TaskId, Task]) -> bool:
    """Whether one builds on the other, however far, or a third task builds on both."""
    if one == other:
        return True
    return any({one, other} <= _builds_on(t, tasks) | {t} for t in tasks)


def _builds_on(task: TaskId, tasks: Mapping[TaskId, Task]) -> set[TaskId]:
    found: set[TaskId] = set()
    left = [task]
    while left:
        here = tasks.get(left.pop())
        new = [d for d in here.spec.dependencies if d not in found] if here else []
        found.update(new)
        left += new
    return found
