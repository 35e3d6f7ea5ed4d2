"""Between contracts and rows: JSON bodies, the digests that bind them to their place, times as microseconds."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ...contracts.base import Record, RunId
from ...contracts.errors import CorruptStore

C = TypeVar("C", bound=BaseModel)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def seal(*parts: object) -> str:
    """One digest over a row's place and content.

    Every part carries its type and length: none can lend to the next, and a text is not the same bytes as a blob.
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(f"{type(part).__name__}:{len(raw)}:".encode())
        digest.update(raw)
    return digest.hexdigest()


def body_of(contract: BaseModel) -> str:
    return contract.model_dump_json(by_alias=True)


def record_row(run_id: RunId, item: Record) -> dict[str, str]:
    kind, key, body = item.record_kind, item.key, body_of(item)
    return {"run_id": run_id, "kind": kind, "key": key, "body": body, "digest": seal(run_id, kind, key, body)}


def read_body(kind: type[C], body: str, table: str, key: str) -> C:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise corrupt(table, key, f"{where + ': ' if where else ''}{first['msg']}") from error


def dump_update(update: Mapping[str, JsonValue]) -> str:
    return json.dumps(dict(update), separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def load_update(body: str, key: str) -> dict[str, JsonValue]:
    try:
        update = json.loads(body)
    except ValueError as error:
        raise corrupt("step", key, str(error)) from error
    if not isinstance(update, dict):
        raise corrupt("step", key, "it is no object")
    return update


def check_seal(stored: object, table: str, key: str, *parts: object) -> None:
    if stored != seal(*parts):
        raise corrupt(table, key, "its digest does not fit its content")


def corrupt(table: str, key: str, why: str) -> CorruptStore:
    return CorruptStore(
        f"the row {key!r} of table {table!r} is not what was written",
        why=why,
        hint="restore the database from a backup, or start the investigation anew",
    )
