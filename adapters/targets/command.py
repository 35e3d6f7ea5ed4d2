"""Actions as programs. Exit codes are all that is believed; a program that was cut off has an unknown outcome."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from ...contracts.action_catalog import CommandOperation, CommandTarget
from ...contracts.ports import ActionCall, DryRunReply, ProbedOutcome, TargetReply
from ...rules.actions.templates import filled_text, values_of
from .program import NotStarted, Ran, run, running_with

MOST_LINES = 40
ATTEMPT = "LEADLINE_ACTION_ATTEMPT"
"""Only the program that carries the action out has it in its environment."""
NOTHING: Mapping[str, str] = MappingProxyType({})


class ProgramTarget:
    def __init__(self, name: str, spec: CommandTarget) -> None:
        self._name = name
        self._spec = spec

    @property
    def name(self) -> str:
        return self._name

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        operation = _operation(call)
        if not operation.dry_argv:
            return DryRunReply("not_available", ("the catalog names no dry run for it",))
        try:
            ran = await self._run(operation.dry_argv, call)
        except NotStarted as why:
            return DryRunReply("would_fail", (str(why),))
        lines = tuple((ran.out + ran.err).decode("utf-8", "replace").splitlines()[:MOST_LINES])
        if ran.code is None:
            return DryRunReply("not_available", (f"no end within {call.spec.call_seconds:g} s",))
        return DryRunReply("would_work" if ran.code == 0 else "would_fail", lines)

    async def execute(self, call: ActionCall) -> TargetReply:
        operation = _operation(call)
        try:
            ran = await self._run(operation.argv, call, {ATTEMPT: call.attempt_id})
        except NotStarted as why:
            return TargetReply("failed", delivered=False, detail=str(why))
        body = ran.out + ran.err
        if ran.code is None:
            return TargetReply("unknown", body=body, detail=f"no end within {call.spec.call_seconds:g} s: stopped")
        detail = f"exit {ran.code}" + (f": {ran.told}" if ran.told else "")
        if ran.code == 0:
            return TargetReply("succeeded", body=body, detail=detail)
        sure = ran.code in operation.not_done_codes
        return TargetReply("failed" if sure else "unknown", body=body, detail=detail)

    async def status(self, call: ActionCall) -> TargetReply:
        """A program outlives us where we were killed: as long as it runs, it is at work."""
        pid = await asyncio.to_thread(running_with, ATTEMPT, call.attempt_id) if call.attempt_id else None
        if pid is not None:
            return TargetReply("pending", detail=f"the program still runs, as process {pid}")
        return TargetReply("unknown", detail="a program keeps no record of what it was asked")

    async def outcome(self, call: ActionCall) -> ProbedOutcome:
        operation = _operation(call)
        if not operation.outcome_argv:
            return ProbedOutcome("unclear", "the catalog names nothing that shows the outcome")
        try:
            ran = await self._run(operation.outcome_argv, call)
        except NotStarted as why:
            return ProbedOutcome("unclear", str(why))
        if ran.code == 0:
            return ProbedOutcome("done", ran.told)
        return ProbedOutcome("not_done" if ran.code == 1 else "unclear", ran.told or f"exit {ran.code}")

    async def close(self) -> None:
        """Nothing is held open."""

    async def _run(self, template: tuple[str, ...], call: ActionCall, more: Mapping[str, str] = NOTHING) -> Ran:
        command, values = call.command, values_of(call.command, call.reference)
        environment = {
            **self._spec.environment,
            "LEADLINE_ACTION_COMMAND": command.command_id,
            "LEADLINE_ACTION_KEY": command.idempotency_key,
            "LEADLINE_ACTION_EPOCH": str(call.epoch),
            **more,
        }
        argv = [filled_text(part, values) for part in template]
        return await run(argv, environment, self._spec.search_path, call.spec.call_seconds)


def _operation(call: ActionCall) -> CommandOperation:
    if not isinstance(call.spec.via, CommandOperation):
        raise TypeError(f"{call.spec.kind} is no program")  # the catalog was checked when it was read
    return call.spec.via
