"""Who gets a task in which way: the table of modes, two owners, a person's choice, isolated agents."""

from typing import Any, get_args

import pytest

from leadline.contracts.base import AgentId, TaskId
from leadline.contracts.task import AllocationMode, Assignment, Scope, Task
from leadline.contracts.team import HumanPoint, TeamSpec, Topology
from leadline.rules.allocation import allocate, given_by_person
from leadline.rules.modes import TABLE, choose_mode, is_sensitive, redundancy
from leadline.rules.redundancy import as_a_person_wants, give, has_twin, rivals_of, twin_of
from tests.doubles.letters import NOON, task, team

TOPOLOGIES = get_args(Topology)


def work(**spec: Any) -> Task:
    made = task(TaskId("tsk-1"), "log_reader", **{"required_capabilities": ("analyze_logs",), **spec})
    return made.model_copy(update={"state": "ready", "spec": made.spec.model_copy(update={"assignment": Assignment()})})


def crew(topology: str = "controlled_bus", **changes: Any) -> TeamSpec:
    """Two who can read logs."""
    base = team(topology, **changes)
    second = base.agent(AgentId("log_reader")).model_copy(update={"id": AgentId("log_reader_2")})
    return base.model_copy(update={"agents": (*base.agents, second)})


def decided(one: Task, within: TeamSpec, **more: Any) -> Any:
    return allocate(one, within, load={}, success={}, at=NOON, **more)


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(get_args(AllocationMode))
    assert all(set(row) == set(TOPOLOGIES) for row in TABLE.values())


@pytest.mark.parametrize(
    ("topology", "candidates", "claimed", "mode"),
    [
        ("single", 2, False, "lead_push"),
        ("star", 1, False, "lead_push"),
        ("star", 2, False, "capability_matching"),
        ("controlled_bus", 2, True, "claim_with_lease"),
        ("controlled_bus", 1, False, "lead_push"),
        ("hierarchical", 2, False, "capability_matching"),
        ("star", 2, True, "capability_matching"),
    ],
)
def test_the_mode_follows_from_topology_and_candidates(
    topology: str, candidates: int, *, claimed: bool, mode: str
) -> None:
    able = [AgentId(f"a{n}") for n in range(candidates)]
    assert choose_mode(work(), crew(topology), able, claimed=claimed) == mode


class TestTwoOwners:
    @pytest.mark.parametrize(
        ("spec", "confidence", "condition"),
        [
            ({"risk_level": "high"}, None, "risk_high"),
            ({"scope": Scope(data_classification="restricted")}, None, "security_sensitive"),
            ({}, 0.1, "confidence_below_threshold"),
        ],
    )
    def test_each_of_the_conditions_opens_it(self, spec: Any, confidence: float | None, condition: str) -> None:
        wide = crew(
            redundant_when=("risk_high", "production_write", "security_sensitive", "confidence_below_threshold")
        )
        assert redundancy(work(**spec), wide, confidence) == (condition,)

    def test_none_of_them_none_of_it(self) -> None:
        assert redundancy(work(), crew(), None) == ()
        assert redundancy(work(), crew(), 0.9) == ()

    def test_the_shipped_setting_does_not_double_every_risky_run(self) -> None:
        assert redundancy(work(risk_level="high"), crew(), None) == ()

    @pytest.mark.parametrize(
        ("topology", "kind", "allowed"),
        [
            ("controlled_bus", "research", True),
            ("star", "research", False),
            ("star", "review", True),
            ("hierarchical", "review", True),
            ("hierarchical", "research", False),
            ("single", "review", False),
        ],
    )
    def test_only_where_the_topology_lets_it(self, topology: str, kind: str, *, allowed: bool) -> None:
        assert bool(redundancy(work(task_type=kind), crew(topology), 0.1)) is allowed

    def test_the_decision_names_both_and_why(self) -> None:
        decision = decided(work(), crew(), confidence=0.1)
        assert [(s.agent_id, s.role) for s in decision.selected] == [
            ("log_reader", "primary"), ("log_reader_2", "backup"), ("checker", "verifier"),
        ]  # fmt: skip
        assert (decision.mode, decision.risk_flags) == ("redundant_assignment", ("confidence_below_threshold",))

    def test_where_only_one_can_there_is_no_second(self) -> None:
        decision = decided(work(), team(), confidence=0.1)
        assert [s.role for s in decision.selected] == ["primary", "verifier"]

    def test_a_twin_is_the_same_contract_for_somebody_else(self) -> None:
        first = give(work(), AgentId("log_reader"))
        twin = twin_of(first)
        assert twin.spec.goal == first.spec.goal
        assert (twin.spec.required, twin.spec.assignment.owner, twin.state) == (False, None, "draft")
        assert has_twin(first, (first, twin))
        assert rivals_of(twin, (first, twin)) == {"log_reader"}
        assert redundancy(twin, crew(), 0.1) == ()


class TestAPersonChooses:
    @pytest.mark.parametrize(
        ("spec", "changes"),
        [
            ({"scope": Scope(write_scope="production_write")}, {}),
            ({}, {"person_assigns": ("analyze_logs",)}),
            ({}, {"human_points": (HumanPoint(name="assignment", when="always"),)}),
            ({"risk_level": "high"}, {"human_points": (HumanPoint(name="assignment", when="high_risk"),)}),
        ],
    )
    def test_sensitive_tasks_are_nobodys_until_then(self, spec: Any, changes: Any) -> None:
        one, within = work(**spec), crew(**changes)
        assert is_sensitive(one, within)
        waiting = decided(one, within)
        assert (waiting.selected, waiting.mode) == ((), "human_assignment")
        assert {r.reason for r in waiting.rejected if r.agent_id.startswith("log")} == {
            "a person has to give it to somebody"
        }
        given = decided(give(one, AgentId("log_reader_2")), within)
        assert next((s.agent_id, s.role) for s in given.selected) == ("log_reader_2", "primary")
        assert (given.created_by, given.required_approvals) == ("human", ("human", "verifier"))
        assert {r.agent_id: r.reason for r in given.rejected}["log_reader"] == "a person gave it to log_reader_2"

    def test_an_ordinary_task_is_not(self) -> None:
        assert not is_sensitive(work(), crew())

    def test_a_later_task_of_the_kind_goes_to_the_same(self) -> None:
        within = crew(person_assigns=("analyze_logs",))
        before = give(work(), AgentId("log_reader_2"))
        later = as_a_person_wants(work(task_id=TaskId("tsk-2")), [before], within)
        assert given_by_person(later)
        assert later.spec.assignment.owner == "log_reader_2"


def test_an_isolated_agent_gets_nothing_and_the_decision_says_why() -> None:
    decision = decided(work(), crew(), isolated={AgentId("log_reader"): "is isolated until 12:10:00Z"})
    assert decision.selected[0].agent_id == "log_reader_2"
    assert {r.agent_id: r.reason for r in decision.rejected}["log_reader"] == "is isolated until 12:10:00Z"
