"""Actions as requests to a web service that takes idempotency keys (docs/actions.md has the protocol)."""

import json
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

from ...contracts.action_catalog import HttpOperation, HttpTarget
from ...contracts.base import canonical_json
from ...contracts.ports import ActionCall, Clock, DryRunReply, ProbedOutcome, TargetReply
from ...rules.actions.templates import filled, filled_text, values_of
from .signing import is_signed, read_file, read_secret, sign
from .web import NoAnswer, NotSent, Web, WebAnswer

Outcome = Literal["succeeded", "failed", "pending", "unknown"]
REFUSED = frozenset({400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 428, 431})
"""The request was read and turned down; any other failure may have come after the effect."""
CHANGED = 412
"""The precondition did not hold: the resource is not as the dry run saw it."""
MOST_LINES = 40


class WebTarget:
    def __init__(self, name: str, spec: HttpTarget, clock: Clock) -> None:
        """Raise `CatalogError` where a file that it names cannot be read."""
        self._name = name
        self._clock = clock
        self._secret = read_secret(spec.secret_file) if spec.secret_file else b""
        self._signed_replies = bool(self._secret) and spec.signed_replies
        token = read_file(spec.token_file, "token").strip() if spec.token_file else ""
        self._web = Web(spec.url, spec.networks, spec.ca_file, token)

    @property
    def name(self) -> str:
        return self._name

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        operation = _operation(call)
        if not operation.dry_path:
            return DryRunReply("not_available", ("the catalog names no dry run for it",))
        try:
            answer = await self._post(operation.dry_path, call, {"leadline-dry-run": "true"})
        except (NotSent, NoAnswer) as why:
            return DryRunReply("not_available", (str(why),))
        fields = _fields(answer.body)
        lines = fields.get("preview")
        told = [str(line) for line in lines] if isinstance(lines, list) else _lines(answer.body)
        if answer.status in REFUSED:
            return DryRunReply("would_fail", tuple(told[:MOST_LINES]))
        if not 200 <= answer.status < 300 or not self._is_authentic(answer):
            return DryRunReply("not_available", (f"HTTP {answer.status}", *told[:MOST_LINES]))
        version = str(fields.get("precondition") or answer.headers.get("etag", ""))
        return DryRunReply("would_work", tuple(told[:MOST_LINES]), version[:200])

    async def execute(self, call: ActionCall) -> TargetReply:
        more = {"if-match": call.precondition} if call.precondition else {}
        try:
            answer = await self._post(_operation(call).path, call, more)
        except NotSent as why:
            return TargetReply("failed", delivered=False, detail=str(why))
        except NoAnswer as why:
            return TargetReply("unknown", detail=str(why))
        return self._reply(answer, _outcome_of(answer))

    async def status(self, call: ActionCall) -> TargetReply:
        operation = _operation(call)
        by_reference = "{reference}" in operation.status_path
        if not operation.status_path or (by_reference and not call.reference):
            return TargetReply("unknown", detail="the target cannot be asked how it went")
        try:
            answer = await self._get(operation.status_path, call)
        except (NotSent, NoAnswer) as why:
            return TargetReply("unknown", detail=str(why))
        if answer.status == 404:
            return TargetReply("unknown", detail="the target knows nothing of it")
        return self._reply(answer, _told_outcome(answer) if 200 <= answer.status < 300 else "unknown")

    async def outcome(self, call: ActionCall) -> ProbedOutcome:
        operation = _operation(call)
        if not operation.outcome_path:
            return ProbedOutcome("unclear", "the catalog names nothing that shows the outcome")
        try:
            answer = await self._get(operation.outcome_path, call)
        except (NotSent, NoAnswer) as why:
            return ProbedOutcome("unclear", str(why))
        state = _fields(answer.body).get("state")
        if state not in {"done", "not_done"} or answer.status != 200 or not self._is_authentic(answer):
            return ProbedOutcome("unclear", f"HTTP {answer.status} without a state that can be believed")
        return ProbedOutcome(state, f"the target's state is {state.replace('_', ' ')}")

    async def close(self) -> None:
        await self._web.close()

    async def _post(self, path: str, call: ActionCall, more: Mapping[str, str]) -> WebAnswer:
        command, values = call.command, values_of(call.command, call.reference)
        own = {
            "command": command.command_id,
            "kind": command.kind,
            "target": command.target.model_dump(),
            "arguments": command.arguments,
            "fingerprint": command.fingerprint,
            "idempotency_key": command.idempotency_key,
        }
        extra = filled(_operation(call).body, values)
        body = canonical_json({**(extra if isinstance(extra, dict) else {}), **own}).encode()
        headers = {
            "content-type": "application/json",
            "idempotency-key": command.idempotency_key,
            "leadline-attempt": call.attempt_id,
            "leadline-epoch": str(call.epoch),
            **more,
            **self._signature(call.attempt_id or command.command_id, body),
        }
        target = filled_text(path, values, _escape)
        return await self._web.ask("POST", target, seconds=call.spec.call_seconds, body=body, headers=headers)

    async def _get(self, path: str, call: ActionCall) -> WebAnswer:
        target = filled_text(path, values_of(call.command, call.reference), _escape)
        headers = self._signature(call.attempt_id or call.command.command_id, b"")
        return await self._web.ask("GET", target, seconds=call.spec.call_seconds, headers=headers)

    def _signature(self, message_id: str, body: bytes) -> dict[str, str]:
        return sign(self._secret, message_id, int(self._clock.now().timestamp()), body) if self._secret else {}

    def _is_authentic(self, answer: WebAnswer) -> bool:
        return not self._signed_replies or is_signed(self._secret, answer.headers, answer.body)

    def _reply(self, answer: WebAnswer, outcome: Outcome) -> TargetReply:
        fields = _fields(answer.body)
        return TargetReply(
            outcome,
            body=answer.body,
            reference=str(fields.get("reference", "")),
            echoed_key=str(fields.get("idempotency_key", "")),
            echoed_fingerprint=str(fields.get("fingerprint", "")),
            must_echo=self._signed_replies,
            authentic=self._is_authentic(answer),
            detail=f"HTTP {answer.status}" + (f": {fields['detail']}"[:300] if fields.get("detail") else ""),
        )


def _outcome_of(answer: WebAnswer) -> Outcome:
    """The answer's own word where it is one, else what its status code assures."""
    if answer.status == 202:
        return "pending"
    if 200 <= answer.status < 300:
        return _told_outcome(answer) if "outcome" in _fields(answer.body) else "succeeded"
    return "failed" if answer.status in REFUSED or answer.status == CHANGED else "unknown"


def _told_outcome(answer: WebAnswer) -> Outcome:
    told = _fields(answer.body).get("outcome")
    return told if told in {"succeeded", "failed", "pending"} else "unknown"


def _operation(call: ActionCall) -> HttpOperation:
    if not isinstance(call.spec.via, HttpOperation):
        raise TypeError(f"{call.spec.kind} is no request")  # the catalog was checked when it was read
    return call.spec.via


def _fields(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lines(body: bytes) -> list[str]:
    return body.decode("utf-8", "replace").splitlines()


def _escape(value: str) -> str:
    return quote(value, safe="")
