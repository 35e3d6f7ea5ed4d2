"""The base of every contract: frozen, closed, finite, in UTC; and the ids and digests that records go by."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Annotated, ClassVar, NewType

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict

RunId = NewType("RunId", str)
TaskId = NewType("TaskId", str)
AgentId = NewType("AgentId", str)
ObservationId = NewType("ObservationId", str)
ClaimId = NewType("ClaimId", str)
Digest = NewType("Digest", str)
"""sha256 of canonical JSON or of raw bytes, 64 hex digits."""


def _to_utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


Utc = Annotated[AwareDatetime, AfterValidator(_to_utc)]
"""An instant, kept in UTC; a time without a zone is refused."""


class Contract(BaseModel):
    """A frozen value that refuses unknown fields, NaN and infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


class Record(Contract):
    """A contract that the ledger keeps, one row per (run, kind, key)."""

    record_kind: ClassVar[str]

    @property
    def key(self) -> str:
        """The record's id within its run; the same work always derives the same key."""
        raise NotImplementedError


def canonical_json(value: object) -> str:
    """One text per JSON value: sorted keys, no spaces; NaN and what is no JSON are refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: object) -> Digest:
    """Of bytes as they are, of anything else as canonical JSON."""
    raw = value if isinstance(value, bytes) else canonical_json(value).encode("utf-8", "backslashreplace")
    return Digest(hashlib.sha256(raw).hexdigest())


def derived_id(prefix: str, *parts: str | int) -> str:
    """A short id that the same parts always give, so that work done twice writes the same row."""
    return f"{prefix}-{digest_of(list(parts))[:12]}"
