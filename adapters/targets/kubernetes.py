"""Actions as merge patches through the Kubernetes API: dry run on the server, then by the version that it saw.

The command's id goes into an annotation in the same patch, so the object itself says whether the patch happened.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from ...contracts.action_catalog import KubernetesOperation, KubernetesTarget
from ...contracts.base import canonical_json
from ...contracts.ports import ActionCall, DryRunReply, ProbedOutcome, TargetReply
from ...rules.actions.templates import filled, filled_text, values_of
from .signing import read_file
from .web import NoAnswer, NotSent, Web, WebAnswer

ANNOTATION = "leadline.dev/command"
MERGE = {"content-type": "application/merge-patch+json", "accept": "application/json"}
REFUSED = frozenset({400, 401, 403, 404, 405, 409, 415, 422})
"""The API server applied nothing; 409 says that the object is not the version that the dry run saw."""


class KubernetesApi:
    def __init__(self, name: str, spec: KubernetesTarget) -> None:
        """Raise `CatalogError` where the token file cannot be read."""
        self._name = name
        token = read_file(spec.token_file, "token").strip() if spec.token_file else ""
        self._web = Web(spec.url, spec.networks, spec.ca_file, token)

    @property
    def name(self) -> str:
        return self._name

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        try:
            before = await self._get(call)
            version = str(_at(before, "metadata", "resourceVersion") or "")
            answer = await self._patch(call, version, "?dryRun=All&fieldManager=leadline")
        except (NotSent, NoAnswer, _Refused) as why:
            return DryRunReply("would_fail" if isinstance(why, _Refused) else "not_available", (str(why),))
        if answer.status != 200:
            return DryRunReply("would_fail" if answer.status in REFUSED else "not_available", (_told(answer),))
        after = _object(answer)
        changes = tuple(
            f"{'.'.join(path)}: {json.dumps(_at(before, *path))} -> {json.dumps(_at(after, *path))}"
            for path in _leaves(self._body(call))
        )
        return DryRunReply("would_work", changes, version)

    async def execute(self, call: ActionCall) -> TargetReply:
        if not call.precondition:
            return TargetReply("failed", delivered=False, detail="no dry run told the version of the object")
        try:
            answer = await self._patch(call, call.precondition, "?fieldManager=leadline")
        except NotSent as why:
            return TargetReply("failed", delivered=False, detail=str(why))
        except NoAnswer as why:
            return TargetReply("unknown", detail=str(why))
        if answer.status in REFUSED:
            return TargetReply("failed", body=answer.body, detail=_told(answer))
        if answer.status != 200:
            return TargetReply("unknown", body=answer.body, detail=_told(answer))
        return self._found(call, _object(answer), answer.body)

    async def status(self, call: ActionCall) -> TargetReply:
        """The object's annotation names the last command that patched it."""
        try:
            found = await self._get(call)
        except (NotSent, NoAnswer, _Refused) as why:
            return TargetReply("unknown", detail=str(why))
        if _at(found, "metadata", "annotations", ANNOTATION) != call.command.command_id:
            return TargetReply("unknown", detail="the object does not name this command")
        return self._found(call, found, canonical_json(found).encode())

    async def outcome(self, call: ActionCall) -> ProbedOutcome:
        try:
            found = await self._get(call)
        except (NotSent, NoAnswer, _Refused) as why:
            return ProbedOutcome("unclear", str(why))
        if _at(found, "metadata", "annotations", ANNOTATION) == call.command.command_id:
            return ProbedOutcome("done", "the object names this command")
        if str(_at(found, "metadata", "resourceVersion")) == call.precondition:
            return ProbedOutcome("not_done", f"the object is still at version {call.precondition}")
        return ProbedOutcome("unclear", "the object was changed by somebody else since the dry run")

    async def close(self) -> None:
        await self._web.close()

    def _found(self, call: ActionCall, found: dict[str, Any], body: bytes) -> TargetReply:
        named = _at(found, "metadata", "annotations", ANNOTATION) == call.command.command_id
        return TargetReply(
            "succeeded" if named else "unknown",
            body=body,
            reference=f"{_at(found, 'metadata', 'uid')}@{_at(found, 'metadata', 'resourceVersion')}",
            detail="the object names this command" if named else "the object does not name this command",
        )

    async def _get(self, call: ActionCall) -> dict[str, Any]:
        answer = await self._web.ask("GET", _path(call), seconds=call.spec.call_seconds, headers=MERGE)
        if answer.status != 200:
            raise _Refused(_told(answer))
        return _object(answer)

    async def _patch(self, call: ActionCall, version: str, query: str) -> WebAnswer:
        body = self._body(call)
        metadata = body.setdefault("metadata", {})
        metadata["resourceVersion"] = version
        metadata.setdefault("annotations", {})[ANNOTATION] = call.command.command_id
        content = canonical_json(body).encode()
        return await self._web.ask(
            "PATCH", _path(call) + query, seconds=call.spec.call_seconds, body=content, headers=MERGE
        )

    def _body(self, call: ActionCall) -> dict[str, Any]:
        made = filled(_operation(call).patch, values_of(call.command))
        assert isinstance(made, dict)
        return made


class _Refused(Exception):
    pass


def _operation(call: ActionCall) -> KubernetesOperation:
    if not isinstance(call.spec.via, KubernetesOperation):
        raise TypeError(f"{call.spec.kind} is no patch")  # the catalog was checked when it was read
    return call.spec.via


def _path(call: ActionCall) -> str:
    return filled_text(_operation(call).path, values_of(call.command), lambda value: quote(value, safe=""))


def _object(answer: WebAnswer) -> dict[str, Any]:
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _at(value: Any, *path: str) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _leaves(value: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _leaves(inner, (*path, key))
        else:
            yield (*path, key)


def _told(answer: WebAnswer) -> str:
    return f"HTTP {answer.status}: {_object(answer).get('message', '')}"[:300].removesuffix(": ")
