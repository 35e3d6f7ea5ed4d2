"""Every order of events: the five invariants hold, and states change only along the tables.

Each rule tries something in whatever state the task is, with grounds that fit or do not; what is refused must leave
everything as it was.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from leadline.contracts.assignment import TaskLease
from leadline.contracts.base import AgentId, RunId, TaskId
from leadline.contracts.event import Event
from leadline.contracts.lifecycle import LIFECYCLES, TASK, TASK_STATES
from leadline.contracts.report import CheckList
from leadline.contracts.task import Assignment, OutputContract, Task, TaskSpec
from leadline.contracts.verification import RerunResult, VerificationResult
from leadline.rules import leases
from leadline.rules.transition import GUARDS, Grounds, Refused, Stamp, transition

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
LEASE_SECONDS = 30.0
STATES = st.sampled_from(TASK_STATES)
AGENTS = st.sampled_from(["ann", "ben"])


def verification(decision: str, *, evidence: bool) -> VerificationResult:
    reruns: Any = ({"observation": "obs-1", "same": True},) if evidence else ()
    return VerificationResult(
        report_id="rep-1", task_id=TaskId("tsk-1"), attempt=1, verifier=AgentId("checker"), checks=CheckList(),
        reruns=tuple(RerunResult.model_validate(r) for r in reruns), decision=decision,  # type: ignore[arg-type]
    )  # fmt: skip


VERDICTS = st.sampled_from(
    [None, *(verification(d, evidence=e) for d in ("accept", "revise", "reject") for e in (True, False))]
)


REACHED: set[str] = set()
"""States that the machine came to: a machine that never gets far proves little."""


class TaskMachine(RuleBasedStateMachine):
    """One task, its leases, a clock, and a history that anybody may try to bend."""

    held = Bundle("held")

    @initialize(contract=st.booleans())
    def begin(self, *, contract: bool) -> None:
        spec = TaskSpec(
            task_id=TaskId("tsk-1"), run_id=RunId("run-1"), title="t", goal="g", why_this_matters="w",
            required_capabilities=("c",), output_contract=OutputContract() if contract else None,
            success_criteria=("s",), expected_output="o", assignment=Assignment(), created_by=AgentId("lead"),
            created_at=NOON, updated_at=NOON,
        )  # fmt: skip
        self.task = Task(spec=spec)
        self.lease: TaskLease | None = None
        self.now = NOON
        self.epochs: set[int] = set()
        self.events: list[Event] = []
        self.accepted_by: VerificationResult | None = None
        self.merged_by: VerificationResult | None = None
        self.expired_while_running = False

    @property
    def stamp(self) -> Stamp:
        return Stamp(RunId("run-1"), "test", self.now)

    # --- anybody tries anything ---------------------------------------------------------------------------------------
    @rule(wish=st.one_of(STATES, st.integers(0, 5), st.integers(0, 5)), candidates=st.booleans(), verdict=VERDICTS)
    def try_to_move(self, *, wish: str | int, candidates: bool, verdict: VerificationResult | None) -> None:
        """Any state by name, or one that the table has next."""
        following = sorted(set(TASK[self.task.state]) - {"cancelled"}) or ["merged"]
        to = wish if isinstance(wish, str) else following[wish % len(following)]
        grounds = Grounds(candidates=(AgentId("ann"),) if candidates else (), verification=verdict)
        self._try(to, grounds)

    @rule(step=st.integers(0, 5))
    def do_it_properly(self, step: int) -> None:
        """With everything that a guard may ask for, so that the machine gets far."""
        if self.task.spec.assignment.owner is None and self.task.state not in {"announced", "claimed"}:
            self._assign(owner=AgentId("ann"))
        following = sorted(set(TASK[self.task.state]) - {"cancelled", "announced"}) or ["merged"]
        grounds = Grounds(candidates=(AgentId("ann"),), verification=verification("accept", evidence=True))
        self._try(following[step % len(following)], grounds)

    def _try(self, to: str, grounds: Grounds) -> None:
        before, verdict = self.task, grounds.verification
        if self.lease is not None and self.lease.state == "active" and to == "report_submitted":
            return  # the board takes reports under a lease, see `submit`
        try:
            moved, event = transition(before, to, self.stamp, grounds=grounds)
        except Refused:
            assert self.task == before
            return
        assert to in TASK[before.state]
        self._moved(moved, event)
        REACHED.add(to)
        if to == "accepted":
            self.accepted_by = verdict
        if to == "merged":
            self.merged_by = verdict

    @rule(owner=AGENTS)
    def name_an_owner(self, owner: str) -> None:
        if self.task.state in {"candidate_selected", "draft", "ready"}:
            self._assign(owner=AgentId(owner))

    @rule()
    def forget_the_owner(self) -> None:
        """A record that lost its owner: it may then not run."""
        if self.task.state in {"assigned", "announced", "blocked", "revision_requested"}:
            self._assign(owner=None, lease_id=None)

    @rule(seconds=st.floats(0.0, 60.0))
    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    # --- the board ----------------------------------------------------------------------------------------------------
    @precondition(lambda self: self.task.state == "announced" and not self._is_leased())
    @rule(agent=AGENTS)
    def claim(self, agent: str) -> None:
        epoch = self.lease.epoch + 1 if self.lease else 1
        assert epoch not in self.epochs
        self.epochs.add(epoch)
        granted = leases.grant(self.task, AgentId(agent), self.stamp, seconds=LEASE_SECONDS, epoch=epoch, run_epoch=1)
        self.lease = granted.lease
        self.events += granted.events
        self._moved(granted.task)

    @precondition(lambda self: self._is_leased() and self.task.state == "running")
    @rule()
    def submit(self) -> None:
        assert self.lease is not None
        if leases.holds(self.lease, self.task, self.now):
            self.lease, first = transition(self.lease, "completed", self.stamp)
            moved, second = transition(self.task, "report_submitted", self.stamp)
            self.events += [first, second]
            self._moved(moved)

    @precondition(lambda self: self._is_leased())
    @rule(run_epoch=st.sampled_from([1, 2]))
    def reap(self, run_epoch: int) -> None:
        assert self.lease is not None
        if not leases.is_over(self.lease, self.now, run_epoch):
            with pytest.raises(Refused):
                transition(self.lease, "expired", self.stamp, grounds=Grounds(now=self.now, run_epoch=run_epoch))
            return
        if self.task.state == "running":
            freed = leases.reap(self.task, self.lease, self.stamp, run_epoch=run_epoch)
            self.lease, self.expired_while_running = freed.lease, True
            self.events += freed.events
            self._moved(freed.task)
            assert self.task.state in {"reassigned", "cancelled"}

    # --- what must always hold ----------------------------------------------------------------------------------------
    @invariant()
    def no_owner_no_running(self) -> None:
        assert self.task.state != "running" or self.task.spec.assignment.owner is not None

    @invariant()
    def no_output_contract_no_assigned(self) -> None:
        began = {"assigned", "announced", "claimed", "lease_granted", "running"}
        assert self.task.state not in began or self.task.spec.output_contract is not None

    @invariant()
    def no_evidence_no_accepted(self) -> None:
        if self.task.state in {"accepted", "merged"}:
            assert self.accepted_by is not None
            assert self.accepted_by.passed
            assert self.accepted_by.reruns

    @invariant()
    def verifier_failed_no_merged(self) -> None:
        if self.task.state == "merged":
            assert self.merged_by is not None
            assert self.merged_by.passed

    @invariant()
    def a_lease_that_ran_out_leaves_nothing_running_under_it(self) -> None:
        if self.lease is not None and self.lease.state == "expired" and self.task.state == "running":
            assert self.task.spec.assignment.lease_id != self.lease.lease_id

    @invariant()
    def the_history_tells_the_state(self) -> None:
        """Replaying the events gives the state that the record has."""
        state = "draft"
        for event in (e for e in self.events if e.lifecycle == "task"):
            assert event.from_state == state
            assert event.to_state in TASK[state]
            assert not event.forced
            state = event.to_state
        assert state == self.task.state

    # --- within -------------------------------------------------------------------------------------------------------
    def _is_leased(self) -> bool:
        return self.lease is not None and self.lease.state == "active"

    def _assign(self, **changes: Any) -> None:
        assignment = self.task.spec.assignment.model_copy(update=changes)
        spec = self.task.spec.model_copy(update={"assignment": assignment})
        self.task = self.task.model_copy(update={"spec": spec})

    def _moved(self, task: Task, event: Event | None = None) -> None:
        assert task.spec.updated_at >= self.task.spec.updated_at
        self.task = task
        if event is not None:
            self.events.append(event)
        if self._is_leased() and task.state in {"reassigned", "cancelled"}:
            assert self.lease is not None
            self.lease, told = transition(self.lease, "revoked", self.stamp)
            self.events.append(told)


TestTaskMachine = TaskMachine.TestCase
TestTaskMachine.settings = settings(
    max_examples=200, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_the_machine_gets_far() -> None:
    if not REACHED:
        pytest.skip("the machine did not run in this process")
    far = {"running", "report_submitted", "verifying", "accepted", "merged", "reassigned", "blocked"}
    assert far <= REACHED


@pytest.mark.parametrize("name", LIFECYCLES)
def test_tables_are_closed_and_their_guards_exist(name: str) -> None:
    table = LIFECYCLES[name]
    assert {to for steps in table.values() for to in steps} <= set(table)
    assert {guard for steps in table.values() for guard in steps.values() if guard} <= set(GUARDS)
    ends = [state for state, steps in table.items() if not steps]
    assert ends or name == "fuse"


@pytest.mark.parametrize("name", LIFECYCLES)
def test_every_state_is_reached_from_the_first(name: str) -> None:
    table = LIFECYCLES[name]
    reached, left = set(), [next(iter(table))]
    while left:
        state = left.pop()
        reached.add(state)
        left += [to for to in table[state] if to not in reached]
    assert reached == set(table)


@settings(max_examples=300, deadline=None)
@given(path=st.lists(STATES, max_size=12))
def test_no_path_leads_around_verification(path: list[str]) -> None:
    """Without any grounds but candidates, nothing is ever accepted, merged, or run without an owner."""
    machine = TaskMachine()
    machine.begin(contract=True)
    task = machine.task
    for to in path:
        try:
            task, _event = transition(task, to, machine.stamp, grounds=Grounds(candidates=(AgentId("ann"),)))
        except Refused:
            continue
    assert task.state not in {"accepted", "merged", "running", "claimed", "lease_granted"}
