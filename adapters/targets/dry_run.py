"""The default target: it carries out nothing, and says so in every answer."""

from ...contracts.ports import ActionCall, DryRunReply, ProbedOutcome, TargetReply

NOTHING = "nothing was changed: the catalog sends this action to no real target"


class DryRunTarget:
    def __init__(self, name: str = "dry-run") -> None:
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        command = call.command
        return DryRunReply("would_work", (f"{command.kind} on {command.target} would be noted", NOTHING))

    async def execute(self, call: ActionCall) -> TargetReply:
        return self._noted(call)

    async def status(self, call: ActionCall) -> TargetReply:
        return self._noted(call)

    async def outcome(self, call: ActionCall) -> ProbedOutcome:  # noqa: ARG002  the port's
        return ProbedOutcome("done", NOTHING)

    async def close(self) -> None:
        """Nothing is held open."""

    def _noted(self, call: ActionCall) -> TargetReply:
        key = call.command.idempotency_key
        return TargetReply("succeeded", reference=f"{self._name}:{key}", echoed_key=key, simulated=True, detail=NOTHING)
