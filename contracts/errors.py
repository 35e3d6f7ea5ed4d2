"""One tree. Control flow stands apart from failures.

LeadlineError                 a failure; `exit_code` says how a command ends
├── UsageError          2     bad input: bundle, team file, option, unknown run, graph version or model
│   ├── BundleError
│   ├── TeamError
│   ├── DatasetError          an evaluation case that leaks, lacks files or cannot be answered
│   ├── UnknownRun
│   ├── ApprovalRefused       an answer that is unknown, stale, empty or second
│   ├── CatalogError          a catalog of actions that does not hold together; the message names the line
│   ├── ActionRefused         what is asked of an action cannot be: it is unknown, over, or not in that state
│   └── KeyConflict           one idempotency key for two actions
├── StaleRun            2     the run was started on another graph, prompt set or team
├── StoreError         74     the database cannot be read or written
│   └── CorruptStore          a stored row is not what was written, or of a blocked type
├── RunHeld            75     another process holds the run
├── LeaseLost          75     the run was taken over while we held it
├── AgentLost                 an agent fell silent: on the task board its lease runs out and others take over
└── ModelError                never leaves a proposer: a model fault becomes a degraded proposal
Stop                          control flow, no failure
└── BudgetSpent       124     a budget was reached; the run concludes with what it has
"""


class LeadlineError(Exception):
    """What happened, where, why, and what to do next."""

    exit_code = 1

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        """The reason, where it is known."""
        self.hint = hint
        """The next step, a command where there is one."""

    def __str__(self) -> str:
        return self.what + (f": {self.why}" if self.why else "")


class UsageError(LeadlineError):
    exit_code = 2


class BundleError(UsageError):
    """A bundle that cannot be investigated."""


class TeamError(UsageError):
    """A team file that does not hold together; the message names the line."""


class DatasetError(UsageError):
    """An evaluation data set that cannot be trusted; the message names the case and the file."""


class UnknownRun(UsageError):
    pass


class ApprovalRefused(UsageError):
    pass


class CatalogError(UsageError):
    pass


class ActionRefused(UsageError):
    pass


class KeyConflict(UsageError):
    pass


class StaleRun(LeadlineError):
    exit_code = 2


class StoreError(LeadlineError):
    exit_code = 74


class CorruptStore(StoreError):
    pass


class RunHeld(LeadlineError):
    exit_code = 75


class LeaseLost(LeadlineError):
    exit_code = 75


class AgentLost(LeadlineError):
    pass


class ModelError(LeadlineError):
    """`kind` is one of a closed list, for counting."""

    def __init__(self, what: str, *, kind: str, why: str = "") -> None:
        super().__init__(what, why=why)
        self.kind = kind


class Stop(Exception):
    pass


class BudgetSpent(Stop):
    exit_code = 124

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
        """Which budget, and how much of it."""
