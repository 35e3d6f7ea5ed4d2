"""What a packed bundle remembers of the one it was made from: its key for placeholders and what was lost on the way."""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from ...contracts.base import Contract, Digest
from ...contracts.errors import BundleError
from ...contracts.evidence import Source, SourceCoverage
from .files import PACK_NOTE

MAX_BYTES = 1 << 20


class PackNote(Contract):
    schema_version: int = Field(default=1, alias="schema", ge=1, le=1)
    packed_from: Digest
    redaction_key: str = Field(pattern="^[0-9a-f]{64}$")
    """So that equal secrets keep their placeholders; the bundle holds the secrets themselves anyway."""
    coverage: dict[Source, SourceCoverage] = Field(default_factory=dict)

    def written(self) -> str:
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=1, sort_keys=True) + "\n"


def read_note(root: Path) -> PackNote | None:
    path = root / PACK_NOTE
    if not path.is_file() or path.is_symlink():
        return None
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BundleError(f"{str(path)!r} is larger than 1 MiB", hint="pack the bundle again")
        return PackNote.model_validate_json(path.read_bytes())
    except (ValidationError, ValueError, OSError) as error:
        raise BundleError(
            f"{str(path)!r} cannot be understood", why=type(error).__name__, hint="pack the bundle again"
        ) from None


def remembered(found: Mapping[Source, SourceCoverage], note: PackNote | None) -> dict[Source, SourceCoverage]:
    """Coverage of the tables, with what was known of the files that they were packed from."""
    if note is None:
        return dict(found)
    return {source: _both(coverage, note.coverage.get(source)) for source, coverage in found.items()}


def _both(now: SourceCoverage, then: SourceCoverage | None) -> SourceCoverage:
    if then is None:
        return now
    lost = then.status in {"cut", "unreadable"} or now.status == "missing"
    return now.model_copy(
        update={
            "status": then.status if lost else now.status,
            "zones": then.zones,
            "files": then.files,
            "notes": tuple(dict.fromkeys((*then.notes, *(n for n in now.notes if "no finite" not in n)))),
        }
    )
