"""What a command's exit code says: one table, for the help, the docs and the tests."""

from typing import NamedTuple


class ExitCode(NamedTuple):
    code: int
    meaning: str


OK, FAILED, USAGE, INCONCLUSIVE, WAITING, STORE, HELD, BUDGET = 0, 1, 2, 3, 5, 74, 75, 124
SIGNAL_BASE = 128
"""A command that a signal ended returns this plus the signal's number."""

EXIT_CODES: tuple[ExitCode, ...] = (
    ExitCode(OK, "concluded, or done"),
    ExitCode(FAILED, "failed"),
    ExitCode(USAGE, "usage: an option, bundle, team file, run id or answer that does not fit"),
    ExitCode(INCONCLUSIVE, "concluded, but inconclusive or degraded against what was asked"),
    ExitCode(WAITING, "waiting for a person"),
    ExitCode(STORE, "the store cannot be read or written"),
    ExitCode(HELD, "another process holds the run"),
    ExitCode(BUDGET, "a budget was spent before the end"),
    ExitCode(SIGNAL_BASE + 1, "hung up (SIGHUP)"),
    ExitCode(SIGNAL_BASE + 2, "interrupted (SIGINT)"),
    ExitCode(SIGNAL_BASE + 15, "terminated (SIGTERM)"),
)


def table() -> str:
    return "\n".join(f"{code:>4}  {meaning}" for code, meaning in EXIT_CODES)
