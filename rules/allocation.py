"""Which agent gets a task, scored so that anyone can see why."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from ..contracts.assignment import AssignmentDecision, RejectedAgent, ScoreParts, SelectedAgent
from ..contracts.base import AgentId, derived_id
from ..contracts.task import RISK_ORDER, Task
from ..contracts.team import AgentSpec, TeamSpec
from .modes import choose_mode, is_sensitive, redundancy

WEIGHTS: dict[str, float] = {
    "capability_match": 0.30,
    "tool_permission_fit": 0.20,
    "context_scope_fit": 0.15,
    "availability": 0.10,
    "past_success": 0.10,
    "cost_efficiency": 0.05,
    "latency_fit": 0.05,
    "risk_penalty": -0.15,
}
CLASSES = ("public", "internal", "confidential", "restricted")


def within(tasks: Sequence[Task], domain: str) -> tuple[Task, ...]:
    """Tasks of one domain; all of them where no domain is named."""
    return tuple(t for t in tasks if not domain or t.spec.assignment.domain_scope == domain)


def domain_of(task: Task, team: TeamSpec) -> str:
    """Where the agents sit who can do it; empty where they belong to no domain."""
    able = [a.domain for a in team.agents if a.domain and set(task.spec.required_capabilities) <= set(a.capabilities)]
    return able[0] if able else ""


def domain_lead(team: TeamSpec, domain: str) -> AgentId:
    """The agent that leads a domain; the root owner where the team names none."""
    leads = (a.id for a in team.agents if a.domain == domain and "lead_domain" in a.capabilities)
    return next(leads, team.root_owner)


def why_not(agent: AgentSpec, task: Task, load: int) -> str:
    """Why an agent is not eligible; empty where it is."""
    missing = sorted(set(task.spec.required_capabilities) - set(agent.capabilities))
    tools = [] if "*" in agent.probes else sorted(set(task.spec.required_tools) - set(agent.probes))
    given = task.spec.assignment
    elsewhere = given.mode == "human_assignment" and given.owner not in {None, agent.id}
    checks = (
        (elsewhere, f"a person gave it to {given.owner}"),
        (agent.id in task.failed_owners, "it had this task and could not do it"),
        (bool(missing), f"lacks {', '.join(missing)}"),
        (bool(tools), f"may not run {', '.join(tools)}"),
        (not agent.accepts_delegation, "does not take delegated work"),
        (
            CLASSES.index(task.spec.scope.data_classification) > CLASSES.index(agent.data_classification),
            f"may not see {task.spec.scope.data_classification} data",
        ),
        (load >= agent.max_concurrency, f"is busy with {load} of {agent.max_concurrency}"),
    )
    return next((why for bad, why in checks if bad), "")


def given_by_person(task: Task) -> bool:
    return task.spec.assignment.mode == "human_assignment" and task.spec.assignment.owner is not None


def score(agent: AgentSpec, task: Task, load: int, past_success: float) -> ScoreParts:
    """The weighted sum of the user's document; every part is in [0, 1]."""
    required = set(task.spec.required_capabilities)
    held = required.intersection(agent.capabilities)
    recall = len(held) / len(required) if required else 1.0
    focus = len(held) / len(agent.capabilities) if agent.capabilities else 0.0
    parts = {
        "capability_match": 0.8 * recall + 0.2 * focus,
        "tool_permission_fit": 1.0 if "*" not in agent.probes else 0.8,  # least privilege wins a tie
        "context_scope_fit": 1.0 if "*" not in agent.data_scopes else 0.7,
        "availability": 1.0 - min(1.0, load / agent.max_concurrency),
        "past_success": past_success,
        "cost_efficiency": 0.5 if agent.uses_model else 1.0,
        "latency_fit": 0.5 if agent.uses_model else 1.0,
        "risk_penalty": RISK_ORDER.index(task.spec.risk_level) / 2 if agent.on_failure == "escalate" else 0.0,
    }
    total = sum(WEIGHTS[name] * part for name, part in parts.items())
    return ScoreParts(agent_id=agent.id, total=round(total, 6), **{k: round(v, 6) for k, v in parts.items()})


def allocate(
    task: Task,
    team: TeamSpec,
    *,
    load: Mapping[AgentId, int],
    success: Mapping[AgentId, float],
    at: datetime,
    claimed_by: AgentId | None = None,
    isolated: Mapping[AgentId, str] | None = None,
    confidence: float | None = None,
) -> AssignmentDecision:
    """Choose an owner, or nobody: then `selected` is empty and `rationale` says why.

    A claim chooses itself; its score is kept all the same, so that it can be seen who would have been better.

    Args:
        isolated: agents whose fuse is open, and why.
        confidence: of the best finding of an earlier attempt at the task.
    """
    by_person = is_sensitive(task, team)
    waits = by_person and not given_by_person(task)
    shut = isolated or {}
    reasons = {
        a.id: why_not(a, task, load.get(a.id, 0))
        or shut.get(a.id, "")
        or ("a person has to give it to somebody" if waits else "")
        for a in team.agents
    }
    eligible = _eligible(team, reasons)
    scores = sorted(
        (score(a, task, load.get(a.id, 0), success.get(a.id, 0.5)) for a in eligible),
        key=lambda s: (-s.total, s.agent_id),
    )
    flags = redundancy(task, team, confidence) if len(scores) > 1 and not by_person else ()
    able = [s.agent_id for s in scores]
    return AssignmentDecision(
        decision_id=derived_id("asg", task.spec.run_id, task.key, task.attempt),
        task_id=task.spec.task_id,
        attempt=task.attempt,
        topology=team.topology,
        mode=choose_mode(task, team, able, claimed=claimed_by is not None, confidence=confidence),
        selected=_selected(scores, claimed_by, team, second=bool(flags)),
        rejected=tuple(RejectedAgent(agent_id=a, reason=why) for a, why in reasons.items() if why),
        scores=tuple(scores),
        rationale=_rationale(scores, claimed_by),
        risk_flags=tuple(dict.fromkeys((*(("risk_high",) if task.spec.risk_level == "high" else ()), *flags))),
        required_approvals=("human", "verifier") if by_person else ("verifier",),
        created_by="human" if by_person else "scheduler" if claimed_by else "lead_agent",
        created_at=at,
    )


def _eligible(team: TeamSpec, reasons: dict[AgentId, str]) -> list[AgentSpec]:
    """Who has no reason against; where one agent does it all, whoever can do most."""
    free = [a for a in team.agents if not reasons[a.id]]
    if team.topology != "single" or not free:
        return free
    widest = max(len(a.capabilities) for a in free)
    for agent in (a for a in free if len(a.capabilities) < widest):
        reasons[agent.id] = "one agent does it all, and another can do more"
    return [a for a in free if not reasons[a.id]]


def _first(scores: Sequence[ScoreParts], claimed_by: AgentId | None) -> ScoreParts:
    return next((s for s in scores if s.agent_id == claimed_by), scores[0])


def _selected(
    scores: Sequence[ScoreParts], claimed_by: AgentId | None, team: TeamSpec, *, second: bool
) -> tuple[SelectedAgent, ...]:
    if not scores:
        return ()
    best = _first(scores, claimed_by)
    backup = [s for s in scores if s is not best][: int(second)]
    verifier = next((a.id for a in team.agents if "verify" in a.capabilities), team.root_owner)
    return (
        SelectedAgent(agent_id=best.agent_id, role="primary"),
        *(SelectedAgent(agent_id=s.agent_id, role="backup") for s in backup),
        SelectedAgent(agent_id=verifier, role="verifier"),
    )


def _rationale(scores: Sequence[ScoreParts], claimed_by: AgentId | None) -> str:
    if not scores:
        return "no agent is eligible"
    best = _first(scores, claimed_by)
    others = [s for s in scores if s is not best]
    runner_up = f", next {others[0].agent_id} with {others[0].total:.3f}" if others else ""
    return f"{best.agent_id} {'claimed it and ' if claimed_by else ''}scores {best.total:.3f}{runner_up}"
