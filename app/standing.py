"""Where a run stands, for a person: a run that nobody works on is not called running."""

from datetime import UTC, datetime

from ..contracts.run import Run


def standing(run: Run) -> str:
    """Its state, but `stopped` where it was at work and its process let go of it or its lease ran out."""
    if run.state != "running":
        return run.state
    held = bool(run.holder) and run.lease_until is not None and run.lease_until > datetime.now(UTC)
    return "running" if held else "stopped"
