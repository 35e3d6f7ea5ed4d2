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
LeaseState = Literal["active", "expired", "released", "completed", "revoked"]
MessageState = Literal["sent", "delivered", "acknowledged", "resolved", "expired"]
FuseState = Literal["closed", "warned", "open"]
CandidateState = Literal["candidate", "validated", "conflicted", "accepted", "rejected", "superseded"]
ActionState = Literal[
    "proposed", "ready", "running", "succeeded", "failed", "pending", "unknown", "manual_review", "denied",
]  # fmt: skip

Table = dict[str, dict[str, str]]

TASK: Table = {
    "draft": {"ready": "", "cancelled": ""},
    "ready": {"candidate_selected": "has_candidates", "cancelled": ""},
    "candidate_selected": {"assigned": "has_output_contract", "announced": "has_output_contract", "cancelled": ""},
    "announced": {"claimed": "has_owner", "cancelled": ""},
    "claimed": {"lease_granted": "has_lease", "cancelled": ""},
    "lease_granted": {"running": "has_owner_and_lease", "reassigned": "", "cancelled": ""},
    "assigned": {"running": "has_owner", "reassigned": "", "cancelled": ""},
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
ACTION: Table = {
    "proposed": {"ready": "approved_by_a_person", "denied": ""},
    "ready": {"running": "intent_is_recorded", "denied": ""},
    "running": {
        "succeeded": "receipt_says_succeeded", "failed": "receipt_says_failed", "pending": "receipt_says_pending",
        "unknown": "",
    },
    "pending": {"succeeded": "receipt_says_succeeded", "failed": "receipt_says_failed", "unknown": ""},
    "unknown": {"succeeded": "receipt_says_succeeded", "failed": "receipt_says_failed", "manual_review": ""},
    "manual_review": {"succeeded": "receipt_says_succeeded", "failed": "receipt_says_failed"},
    "succeeded": {}, "failed": {}, "denied": {},
}  # fmt: skip
"""After the call only a receipt moves an action, or its absence; no opinion does."""
LEASE: Table = {
    "active": {"expired": "lease_is_over", "released": "", "completed": "", "revoked": ""},
    "expired": {}, "released": {}, "completed": {}, "revoked": {},
}  # fmt: skip
LIFECYCLES: dict[str, Table] = {"task": TASK, "run": RUN, "approval": APPROVAL, "candidate": CANDIDATE, "lease": LEASE}

LIFECYCLES["action"] = ACTION
MESSAGE: Table = {
    "sent": {"delivered": "", "expired": "answer_is_overdue"},
    "delivered": {"acknowledged": "", "expired": "answer_is_overdue"},
    "acknowledged": {"resolved": "is_answered", "expired": "answer_is_overdue"},
    "resolved": {}, "expired": {},
}  # fmt: skip
"""Where an answer is due, only the answer resolves a message; no opinion does."""
FUSE: Table = {
    "closed": {"warned": "was_slow", "open": "failed_in_a_row"},
    "warned": {"closed": "", "open": "failed_in_a_row"},
    "open": {"closed": "isolation_is_over"},
}
LIFECYCLES |= {"message": MESSAGE, "fuse": FUSE}

TASK_DONE: frozenset[TaskState] = frozenset({"accepted", "merged"})
TASK_OVER: frozenset[TaskState] = frozenset({"accepted", "merged", "cancelled"})
STANDING: frozenset[CandidateState] = frozenset({"validated", "accepted"})
"""Candidates whose claims count."""
MESSAGE_OVER: frozenset[MessageState] = frozenset({"resolved", "expired"})
RUN_OVER: frozenset[RunState] = frozenset({"concluded", "cancelled"})
ACTION_OVER: frozenset[ActionState] = frozenset({"succeeded", "failed", "denied", "manual_review"})
"""Nothing more happens to it by itself."""

TASK_STATES: tuple[TaskState, ...] = get_args(TaskState)
