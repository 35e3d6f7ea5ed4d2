"""The state machines as tables: state, next state, the guard that must hold.

`rules.transition` is the only function that applies them. A guard named here is a function of the same name there;
an empty guard always holds.
"""

from typing import Literal, get_args

TaskState = Literal[
    "draft", "ready", "candidate_selected", "assigned", "announced", "claimed", "lease_granted", "running", "blocked",
    "report_submitted", "verifying", "accepted", "revision_requested", "rejected", "reassigned", "cancelled", "merged",
]  # fmt: skip
RunState = Literal["running", "waiting", "concluded", "failed", "cancelled"]
ApprovalState = Literal["open", "approved", "edited", "rejected", "expired"]
CandidateState = Literal["candidate", "validated", "conflicted", "accepted", "rejected", "superseded"]

Table = dict[str, dict[str, str]]

TASK: Table = {
    "draft": {"ready": "", "cancelled": ""},
    "ready": {"candidate_selected": "has_candidates", "cancelled": ""},
    "candidate_selected": {"assigned": "has_output_contract", "announced": "has_output_contract", "cancelled": ""},
    "announced": {"claimed": "has_owner", "cancelled": ""},
    "claimed": {"lease_granted": "has_lease", "cancelled": ""},
    "lease_granted": {"running": "has_owner_and_lease", "reassigned": "", "cancelled": ""},
    "assigned": {"running": "has_owner", "cancelled": ""},
    "running": {"blocked": "", "report_submitted": "", "reassigned": "", "cancelled": ""},
    "blocked": {"running": "has_owner", "reassigned": "", "cancelled": ""},
    "report_submitted": {"verifying": "", "cancelled": ""},
    "verifying": {"accepted": "has_checked_evidence", "revision_requested": "", "rejected": "", "cancelled": ""},
    "revision_requested": {"running": "has_owner", "cancelled": ""},
    "rejected": {"reassigned": "", "cancelled": ""},
    "reassigned": {"candidate_selected": "has_candidates", "cancelled": ""},
    "accepted": {"merged": "verification_passed"},
    "merged": {},
    "cancelled": {},
}
RUN: Table = {
    "running": {"waiting": "", "concluded": "", "failed": "", "cancelled": ""},
    "waiting": {"running": "", "cancelled": "", "failed": ""},
    "failed": {"running": ""},
    "concluded": {},
    "cancelled": {},
}
APPROVAL: Table = {
    "open": {"approved": "", "edited": "", "rejected": "", "expired": ""},
    "approved": {}, "edited": {}, "rejected": {}, "expired": {},
}  # fmt: skip
CANDIDATE: Table = {
    "candidate": {"validated": "", "rejected": ""},
    "validated": {"conflicted": "", "accepted": "verification_passed", "rejected": ""},
    "conflicted": {"accepted": "verification_passed", "rejected": ""},
    "accepted": {"superseded": ""},
    "rejected": {},
    "superseded": {},
}
LIFECYCLES: dict[str, Table] = {"task": TASK, "run": RUN, "approval": APPROVAL, "candidate": CANDIDATE}

TASK_DONE: frozenset[TaskState] = frozenset({"accepted", "merged"})
TASK_OVER: frozenset[TaskState] = frozenset({"accepted", "merged", "cancelled"})
RUN_OVER: frozenset[RunState] = frozenset({"concluded", "cancelled"})

TASK_STATES: tuple[TaskState, ...] = get_args(TaskState)
