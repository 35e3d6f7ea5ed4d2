"""What an agent is handed for a task: least context, references instead of copies."""

from collections.abc import Sequence

from ..contracts.base import derived_id, digest_of
from ..contracts.delegation import DelegationBrief
from ..contracts.evidence import ProbeSpec
from ..contracts.incident import Incident
from ..contracts.run import RunConfig
from ..contracts.task import OutputContract, Task
from ..contracts.team import AgentSpec, TeamSpec
from .communication.relations import lead_of


def contract_version(task: Task, config: RunConfig) -> str:
    """Changes with the task's contract, the team and the graph; a report under another version is stale."""
    spec = task.spec.model_dump(mode="json", exclude={"created_at", "updated_at"})
    return digest_of([spec, task.attempt, config.team.version, config.graph_version])[:16]


def allowed_probes(agent: AgentSpec, probes: Sequence[ProbeSpec]) -> tuple[str, ...]:
    """Probes that the agent may run and whose sources it may read."""
    every = "*" in agent.probes
    readable = set(agent.data_scopes)
    return tuple(
        p.name
        for p in probes
        if (every or p.name in agent.probes) and ("*" in readable or readable.intersection(p.sources))
    )


def compile_brief(
    task: Task, agent: AgentSpec, team: TeamSpec, config: RunConfig, incident: Incident, probes: Sequence[ProbeSpec]
) -> DelegationBrief:
    allowed = allowed_probes(agent, probes)
    version = contract_version(task, config)
    first = incident.first_alert
    alert = f" First alert: {first.service or 'unknown service'}, {first.summary or first.metric}." if first else ""
    return DelegationBrief(
        delegation_id=derived_id("dlg", task.spec.run_id, task.key, task.attempt, agent.id),
        contract_version=version,
        task_id=task.spec.task_id,
        attempt=task.attempt,
        from_agent=lead_of(task, team),
        to_agent=agent.id,
        objective=task.spec.goal,
        why_this_matters=task.spec.why_this_matters,
        non_goals=task.spec.non_goals,
        context_summary=f"{incident.title}.{alert}",
        input_refs=task.spec.input_refs,
        constraints=("read only", *task.required_changes),
        allowed_tools=allowed,
        forbidden_tools=tuple(p.name for p in probes if p.name not in allowed),
        scope=task.spec.scope,
        success_criteria=task.spec.success_criteria,
        output_contract=task.spec.output_contract or OutputContract(),
        communication_policy=task.spec.communication_policy,
        budget=task.spec.budget,
    )
