"""Which agent gets a task, scored so that anyone can see why."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from ..contracts.assignment import AssignmentDecision, RejectedAgent, ScoreParts, SelectedAgent
from ..contracts.base import AgentId, derived_id
from ..contracts.task import RISK_ORDER, AllocationMode, Task
from ..contracts.team import AgentSpec, TeamSpec

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


def choose_mode(team: TeamSpec, candidates: Sequence[AgentId]) -> AllocationMode:
    """Push where the lead has no choice, match capabilities where several agents could do it.

    Claim and lease, recursive, redundant and human assignment belong to write scopes and topologies that no
    read-only task of a star has.
    """
    return "capability_matching" if team.topology != "single" and len(candidates) > 1 else "lead_push"


def why_not(agent: AgentSpec, task: Task, load: int) -> str:
    """Why an agent is not eligible; empty where it is."""
    missing = sorted(set(task.spec.required_capabilities) - set(agent.capabilities))
    tools = [] if "*" in agent.probes else sorted(set(task.spec.required_tools) - set(agent.probes))
    checks = (
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
) -> AssignmentDecision:
    """Choose an owner, or nobody: then `selected` is empty and `rationale` says why.

    A claim chooses itself; its score is kept all the same, so that it can be seen who would have been better.
    """
    reasons = {a.id: why_not(a, task, load.get(a.id, 0)) for a in team.agents}
    eligible = [a for a in team.agents if not reasons[a.id]]
    if team.topology == "single" and eligible:
        widest = max(len(a.capabilities) for a in eligible)
        for agent in (a for a in eligible if len(a.capabilities) < widest):
            reasons[agent.id] = "one agent does it all, and another can do more"
        eligible = [a for a in eligible if not reasons[a.id]]
    scores = sorted(
        (score(a, task, load.get(a.id, 0), success.get(a.id, 0.5)) for a in eligible),
        key=lambda s: (-s.total, s.agent_id),
    )
    verifier = next((a.id for a in team.agents if "verify" in a.capabilities), team.root_owner)
    selected: tuple[SelectedAgent, ...] = ()
    rationale = "no agent is eligible"
    if scores:
        best = next((s for s in scores if s.agent_id == claimed_by), scores[0])
        selected = (
            SelectedAgent(agent_id=best.agent_id, role="primary"),
            SelectedAgent(agent_id=verifier, role="verifier"),
        )
        others = [s for s in scores if s is not best]
        runner_up = f", next {others[0].agent_id} with {others[0].total:.3f}" if others else ""
        rationale = f"{best.agent_id} {'claimed it and ' if claimed_by else ''}scores {best.total:.3f}{runner_up}"
    return AssignmentDecision(
        decision_id=derived_id("asg", task.spec.run_id, task.key, task.attempt),
        task_id=task.spec.task_id,
        attempt=task.attempt,
        topology=team.topology,
        mode="claim_with_lease" if claimed_by else choose_mode(team, [s.agent_id for s in scores]),
        selected=selected,
        rejected=tuple(RejectedAgent(agent_id=a, reason=why) for a, why in reasons.items() if why),
        scores=tuple(scores),
        rationale=rationale,
        risk_flags=("high_risk",) if task.spec.risk_level == "high" else (),
        required_approvals=("verifier",),
        created_by="scheduler" if claimed_by else "lead_agent",
        created_at=at,
    )
