"""The seven-layer matrix of a multi-agent run, from its records: where a result was won or lost.

Every figure is a pure function of the records; None where the run has nothing of the kind. Shares are in [0, 1].
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from ..contracts.event import Event
from ..contracts.evidence import Source
from ..contracts.lifecycle import TASK_DONE
from ..contracts.task import Task
from ..evidence.probes.registry import all_probes
from ..rules.forced import forced_share
from .records import RunRecords
from .spans import critical_path, spans

Layer = Literal[
    "decomposition", "delegation", "coordination", "local_quality", "merge_quality", "outcome", "safety_cost"
]
READABLE = frozenset({"ok", "cut"})
LEAST_MESSAGES = 2
"""A task needs a brief and a report; whatever is said beyond amplifies."""


class Figure(NamedTuple):
    layer: Layer
    name: str
    describes: str
    compute: Callable[[RunRecords], float | None]


def matrix(records: RunRecords) -> dict[str, float | None]:
    """`layer.name` to its value, in the order of FIGURES."""
    return {f"{figure.layer}.{figure.name}": figure.compute(records) for figure in FIGURES}


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


# --- decomposition ----------------------------------------------------------------------------------------------------
def _coverage(records: RunRecords) -> float | None:
    if records.report is None:
        return None
    readable = {source.source for source in records.report.coverage if source.status in READABLE}
    asked = {
        source
        for observation in records.observations
        if observation.answer.status != "denied"
        for source in _read_by().get(observation.call.probe, ())
    }
    return _share(len(readable & asked), len(readable))


@cache
def _read_by() -> Mapping[str, tuple[Source, ...]]:
    """Sources by probe."""
    return {name: probe.spec.sources for name, probe in all_probes().items()}


def _overlap(records: RunRecords) -> float | None:
    pairs = list(combinations(records.tasks, 2))
    return _share(sum(_same_work(a, b) for a, b in pairs), len(pairs))


def _same_work(a: Task, b: Task) -> bool:
    """The same ability on services of which one at least is in both scopes; an open scope holds all."""
    mine, theirs = set(a.spec.scope.allowed_domains), set(b.spec.scope.allowed_domains)
    meets = not mine or not theirs or bool(mine & theirs)
    return meets and set(a.spec.required_capabilities) == set(b.spec.required_capabilities)


def _omission(records: RunRecords) -> float | None:
    required = [task for task in records.tasks if task.spec.required]
    return _share(sum(task.state not in TASK_DONE for task in required), len(required))


# --- delegation -------------------------------------------------------------------------------------------------------
def _rework(records: RunRecords) -> float | None:
    again = {event.subject for event in _moves(records, "revision_requested", "reassigned")}
    return _share(len(again), len(records.tasks))


def _input_required(records: RunRecords) -> float | None:
    return _share(len({event.subject for event in _moves(records, "blocked")}), len(records.tasks))


def _out_of_scope(records: RunRecords) -> float | None:
    refused = sum(event.kind == "probe.refused" for event in records.events)
    asked = sum(event.kind == "probe.answered" for event in records.events)
    return _share(refused, refused + asked)


# --- coordination -----------------------------------------------------------------------------------------------------
def _critical_share(records: RunRecords) -> float | None:
    """Longest chain of work that depends on each other, over the time from the first start to the last end."""
    found = spans(records.events)
    if not found:
        return None
    needed = max(span.ended for span in found.values()) - min(span.started for span in found.values())
    return _share(critical_path(records.tasks, found), needed.total_seconds())


def _idle(records: RunRecords) -> float | None:
    """Time that ready tasks wait for an agent, over all time that they wait or work."""
    found = spans(records.events).values()
    waited = sum(span.waited for span in found)
    return _share(waited, waited + sum(span.worked for span in found))


def _amplification(records: RunRecords) -> float | None:
    said = len(records.briefs) + len(records.reports) + len(_moves(records, "revision_requested", "blocked"))
    return _share(said, LEAST_MESSAGES * len(records.tasks))


# --- local quality ----------------------------------------------------------------------------------------------------
def _artifact_pass(records: RunRecords) -> float | None:
    """Reports that verification accepted the first time they were handed in."""
    first = [result for result in records.verifications if result.attempt == 1]
    return _share(sum(result.passed for result in first), len(first))


def _evidence(records: RunRecords) -> float | None:
    """Claims that their observations support, of all that were checked."""
    verdicts = [verdict.verdict for result in records.verifications for verdict in result.verdicts]
    return _share(verdicts.count("supported"), len(verdicts))


def _repeatable(records: RunRecords) -> float | None:
    reruns = [rerun.same for result in records.verifications for rerun in result.reruns]
    return _share(sum(reruns), len(reruns))


# --- merge quality ----------------------------------------------------------------------------------------------------
def _merge_failure(records: RunRecords) -> float | None:
    composite = records.composite
    return None if composite is None else _share(len(composite.failed), len(composite.failed) + len(composite.passed))


def _conflict_escape(records: RunRecords) -> float | None:
    """Conflicts that nobody ruled on."""
    ruled = {ruling.conflict_id for ruling in records.arbitrations}
    return _share(sum(conflict.conflict_id not in ruled for conflict in records.conflicts), len(records.conflicts))


# --- outcome ----------------------------------------------------------------------------------------------------------
def _integration_pass(records: RunRecords) -> float | None:
    return None if records.composite is None else float(not records.composite.failed)


def _goal(records: RunRecords) -> float:
    return float(records.report is not None and records.report.status == "concluded")


# --- safety and cost --------------------------------------------------------------------------------------------------
def _violations(records: RunRecords) -> float:
    kinds = {"probe.refused", "claim.refused", "message.refused", "action.refused", "approval.refused", "lease.refused"}
    return float(sum(event.kind in kinds for event in records.events) + sum(event.forced for event in records.events))


def _forced(records: RunRecords) -> float:
    return forced_share(records.events).share


def _duplicate_effects(records: RunRecords) -> float:
    """Further attempts of one command that came to succeed."""
    done = {(receipt.command_id, receipt.attempt_id) for receipt in records.receipts if receipt.outcome == "succeeded"}
    return float(sum(count - 1 for count in Counter(command for command, _ in done).values()))


def _tokens(records: RunRecords) -> float:
    usage = records.report.usage if records.report else None
    return float(usage.tokens_in + usage.tokens_out) if usage else 0.0


def _latency(records: RunRecords) -> float | None:
    return records.report.usage.seconds if records.report else None


def _moves(records: RunRecords, *states: str) -> Sequence[Event]:
    return [
        event
        for event in records.events
        if event.kind == "transition" and event.lifecycle == "task" and event.to_state in states
    ]


FIGURES: tuple[Figure, ...] = (
    Figure("decomposition", "coverage", "readable sources that some task asked", _coverage),
    Figure("decomposition", "overlap", "pairs of tasks with the same work", _overlap),
    Figure("decomposition", "omission", "required tasks without an accepted result", _omission),
    Figure("delegation", "rework", "tasks revised or given to another", _rework),
    Figure("delegation", "input_required", "tasks that had to ask", _input_required),
    Figure("delegation", "out_of_scope", "questions refused for the agent's scope", _out_of_scope),
    Figure("coordination", "critical_path", "longest dependent work over elapsed time", _critical_share),
    Figure("coordination", "idle_wait", "waiting for an agent over waiting and work", _idle),
    Figure("coordination", "amplification", "messages over the fewest possible", _amplification),
    Figure("local_quality", "artifact_pass", "reports accepted the first time", _artifact_pass),
    Figure("local_quality", "evidence", "claims that their observations support", _evidence),
    Figure("local_quality", "repeatable", "observations that were the same again", _repeatable),
    Figure("merge_quality", "merge_failure", "integration checks that failed", _merge_failure),
    Figure("merge_quality", "conflict_escape", "conflicts without a ruling", _conflict_escape),
    Figure("outcome", "integration_pass", "the whole passed its checks", _integration_pass),
    Figure("outcome", "goal_completion", "the run concluded with a report", _goal),
    Figure("safety_cost", "violations", "refused and forced steps", _violations),
    Figure("safety_cost", "forced_share", "transitions that overruled a guard", _forced),
    Figure("safety_cost", "duplicate_effects", "actions that took effect twice", _duplicate_effects),
    Figure("safety_cost", "tokens", "prompt and answer tokens", _tokens),
    Figure("safety_cost", "latency", "seconds of the run", _latency),
)
