"""The seven layers, from records worked by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from leadline.contracts.arbitration import Composite, Conflict
from leadline.contracts.event import Event
from leadline.contracts.report import Ranking
from leadline.contracts.task import Task, TaskSpec
from leadline.contracts.verification import ClaimVerdict, RerunResult, VerificationResult
from leadline.evals.matrix import FIGURES, matrix
from leadline.evals.records import RunRecords
from leadline.evals.spans import critical_path, spans

ZERO = datetime(2026, 1, 1, tzinfo=UTC)


def _task(name, *, state="merged", needs=(), capability="analyze_metrics", services=(), required=True):
    spec = TaskSpec.model_validate(
        {
            "task_id": name, "run_id": "run-1", "title": name, "goal": "g", "why_this_matters": "w",
            "dependencies": needs, "required": required, "required_capabilities": (capability,),
            "scope": {"allowed_domains": services}, "success_criteria": (), "expected_output": "x", "created_by": "lead",
            "created_at": ZERO, "updated_at": ZERO,
        }
    )  # fmt: skip
    return Task(spec=spec, state=state)


def _move(task, to, second, *, kind="transition", forced=False):
    return Event(
        event_id=f"{task}-{to}-{second}", kind=kind, subject=task, lifecycle="task", to_state=to, forced=forced,
        at=ZERO + timedelta(seconds=second), seq=int(second * 10) + 1,
    )  # fmt: skip


def _worked(task, ready, started, done):
    return (_move(task, "ready", ready), _move(task, "running", started), _move(task, "report_submitted", done))


def _verified(task, decision="accept", attempt=1, verdicts=(), reruns=()):
    return VerificationResult.model_validate(
        {
            "report_id": f"{task}-{attempt}", "task_id": task, "attempt": attempt, "verifier": "v", "checks": {},
            "verdicts": [ClaimVerdict(claim=f"c{i}", verdict=v) for i, v in enumerate(verdicts)],
            "reruns": [RerunResult(observation=f"o{i}", same=same) for i, same in enumerate(reruns)],
            "decision": decision,
        }
    )  # fmt: skip


def test_an_empty_run_says_nothing_but_that_it_failed():
    values = matrix(RunRecords())

    assert len(values) == len(FIGURES)
    assert {name: value for name, value in values.items() if value is not None} == {
        "outcome.goal_completion": 0.0,
        "safety_cost.violations": 0.0,
        "safety_cost.forced_share": 0.0,
        "safety_cost.duplicate_effects": 0.0,
        "safety_cost.tokens": 0.0,
    }


def test_overlap_counts_pairs_with_the_same_work():
    tasks = (
        _task("a", services=("till",)), _task("b", services=("belt",)), _task("c"), _task("d", capability="analyze_logs"),
    )  # fmt: skip

    assert matrix(RunRecords(tasks=tasks))["decomposition.overlap"] == pytest.approx(2 / 6)


def test_omission_counts_required_tasks_only():
    tasks = (_task("a"), _task("b", state="cancelled"), _task("c", state="cancelled", required=False))

    assert matrix(RunRecords(tasks=tasks))["decomposition.omission"] == 0.5


def test_rework_and_blocking_count_tasks_once():
    events = (_move("a", "revision_requested", 1), _move("a", "revision_requested", 2), _move("b", "blocked", 3))

    values = matrix(RunRecords(tasks=(_task("a"), _task("b")), events=events))

    assert (values["delegation.rework"], values["delegation.input_required"]) == (0.5, 0.5)


def test_refused_questions_are_out_of_scope_and_violations():
    events = (
        _move("o1", "", 1, kind="probe.answered"), _move("o2", "", 2, kind="probe.refused"),
        _move("c", "", 3, kind="claim.refused"), _move("a", "ready", 4, forced=True),
    )  # fmt: skip

    values = matrix(RunRecords(events=events))

    assert values["delegation.out_of_scope"] == 0.5
    assert values["safety_cost.violations"] == 3.0


def test_waiting_and_work_come_from_the_transitions():
    found = spans((*_worked("a", 0, 2, 5), *_worked("b", 5, 6, 10)))

    assert (found["a"].waited, found["a"].worked) == (2.0, 3.0)
    assert (found["b"].waited, found["b"].worked) == (1.0, 4.0)


def test_a_second_attempt_adds_to_the_first():
    steps = (*_worked("a", 0, 1, 3), _move("a", "running", 10), _move("a", "report_submitted", 14))

    assert spans(steps)["a"].worked == 6.0


def test_the_critical_path_follows_dependencies():
    tasks = (_task("a"), _task("b", needs=("a",)), _task("c"))
    events = (*_worked("a", 0, 0, 3), *_worked("b", 3, 3, 7), *_worked("c", 0, 0, 5))

    assert critical_path(tasks, spans(events)) == 7.0
    values = matrix(RunRecords(tasks=tasks, events=events))
    assert values["coordination.critical_path"] == 1.0
    assert values["coordination.idle_wait"] == 0.0


def test_serial_work_that_could_be_parallel_shows():
    tasks = (_task("a"), _task("b"))
    events = (*_worked("a", 0, 0, 4), *_worked("b", 0, 4, 8))

    values = matrix(RunRecords(tasks=tasks, events=events))

    assert values["coordination.critical_path"] == 0.5
    assert values["coordination.idle_wait"] == pytest.approx(4 / 12)


def test_local_quality_is_what_verification_said():
    results = (
        _verified("a", verdicts=("supported", "unsupported"), reruns=(True, True)),
        _verified("b", decision="revise", verdicts=("supported",), reruns=(False,)),
        _verified("b", attempt=2, verdicts=("supported",)),
    )

    values = matrix(RunRecords(verifications=results))

    assert values["local_quality.artifact_pass"] == 0.5
    assert values["local_quality.evidence"] == 0.75
    assert values["local_quality.repeatable"] == pytest.approx(2 / 3)


def test_merge_failures_and_conflicts_without_a_ruling():
    empty = Ranking(outcome="inconclusive")
    composite = Composite(ranking=empty, baseline=empty, passed=("a", "b", "c"), failed=("d",))
    conflict = Conflict.model_validate(
        {
            "conflict_id": "k", "conflict_class": "fact", "subject": "till", "description": "d",
            "sides": [{"ref": "c1", "says": "up"}, {"ref": "c2", "says": "down"}], "decision_owner": "rules",
            "authority": {"type": "executable_probe", "ref": "x"},
        }
    )  # fmt: skip

    values = matrix(RunRecords(composite=composite, conflicts=(conflict,)))

    assert values["merge_quality.merge_failure"] == 0.25
    assert values["merge_quality.conflict_escape"] == 1.0
    assert values["outcome.integration_pass"] == 0.0
