"""A finished run as one file: its records, events and artifacts, line by line, and back.

JSON lines, plain or as the one member of a zip. The last line holds the digest of all before it, so that a cut or
changed file is noticed. Texts pass the same mask as telemetry once more: an archive leaves the machine.
"""

import base64
import hashlib
import json
import os
import secrets
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast
from urllib.parse import urlsplit, urlunsplit

from pydantic import JsonValue, ValidationError

from ..contracts.base import Digest, Record
from ..contracts.errors import UsageError
from ..contracts.event import Event
from ..contracts.lifecycle import RUN_OVER
from ..contracts.ports import LedgerReader
from ..contracts.proposal_record import ProposalRecord
from ..contracts.records import RECORDS
from ..contracts.report import AgentReport
from ..contracts.run import Run
from ..evidence.redaction import Redactor

SCHEMA = 1
PAGE = 500
"""Events read at a time."""
MEMBER = "run.jsonl"
SUFFIXES = (".jsonl", ".zip")
FINISHED = RUN_OVER | {"failed"}
Body = dict[str, JsonValue]


class Archive(NamedTuple):
    run: Run
    records: dict[str, tuple[Record, ...]]
    """By kind, in the order in which they were first written."""
    events: tuple[Event, ...]
    artifacts: dict[Digest, bytes]


async def write_archive(run: Run, reader: LedgerReader, out: Path) -> int:
    """Write a run that is over to a new file, or nothing; give the number of lines.

    Raises:
        UsageError: the run goes on, or the file cannot be written.
    """
    if run.state not in FINISHED:
        raise UsageError(
            f"run {run.run_id} is not over: it is {run.state}",
            why="an archive does not change any more",
            hint=f"leadline resume {run.run_id}",
        )
    if out.suffix not in SUFFIXES:
        raise UsageError(f"{str(out)!r} has no known ending", hint=f"--out FILE{' or --out FILE'.join(SUFFIXES)}")
    part = out.with_name(f".{out.name}.part")
    try:
        with _opened(part, out.suffix) as stream:
            lines = await _write(run, reader, stream)
        os.link(part, out)  # refuses a file that is there, which a rename would replace
    except OSError as fault:
        raise UsageError(f"{str(out)!r} cannot be written", why=str(fault), hint="--out another file") from fault
    finally:
        part.unlink(missing_ok=True)
    return lines


def read_archive(path: Path) -> Archive:
    """Raise `UsageError` where the file is no archive, is cut, or was changed."""
    try:
        with path.open("rb") as raw, _member(raw, path) as stream:
            return _read(stream, path)
    except (OSError, zipfile.BadZipFile, KeyError) as fault:
        raise UsageError(f"archive {str(path)!r} cannot be read", why=str(fault)) from fault
    except (ValueError, ValidationError) as fault:
        raise UsageError(f"{str(path)!r} is no archive of a run", why=str(fault).splitlines()[0]) from fault


# --- writing ----------------------------------------------------------------------------------------------------------
@contextmanager
def _opened(part: Path, suffix: str) -> Iterator[IO[bytes]]:
    """A new file, for its owner's eyes as the database is."""
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw:
        if suffix == ".jsonl":
            yield raw
            return
        with (
            zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as bundle,
            bundle.open(MEMBER, "w", force_zip64=True) as member,
        ):
            yield member


async def _write(run: Run, reader: LedgerReader, stream: IO[bytes]) -> int:
    redactor = Redactor(secrets.token_bytes(32))
    running, count = hashlib.sha256(), 0
    async for body in _lines(run, reader):
        line = _line(cast(Body, _masked(body, redactor)))
        running.update(line)
        stream.write(line)
        count += 1
    stream.write(_line({"type": "end", "lines": count, "sha256": running.hexdigest()}))
    return count


async def _lines(run: Run, reader: LedgerReader) -> AsyncIterator[Body]:
    config = run.config.model_copy(update={"ollama_url": _without_login(run.config.ollama_url)})
    shown = run.model_copy(update={"config": config, "holder": "", "lease_until": None})
    yield {"type": "run", "schema": SCHEMA, "body": shown.model_dump(mode="json")}
    wanted: dict[Digest, None] = {}
    for kind in RECORDS:
        for record in await reader.all(kind):
            yield {"type": "record", "kind": kind.record_kind, "body": record.model_dump(mode="json", by_alias=True)}
            wanted |= dict.fromkeys(_artifacts_of(record))
    last = 0
    while page := await reader.events(last, PAGE):
        for event in page:
            yield {"type": "event", "body": event.model_dump(mode="json")}
        last = page[-1].seq
    for digest in wanted:
        content = await reader.artifact(digest)
        if content is not None:
            yield {"type": "artifact", "digest": digest, "base64": base64.b64encode(content).decode()}


def _artifacts_of(record: Record) -> tuple[Digest, ...]:
    """What a record only refers to."""
    if isinstance(record, ProposalRecord):
        return (record.system, record.shared, record.task, *record.replies)
    return tuple(map(Digest, record.artifacts_created)) if isinstance(record, AgentReport) else ()


def _line(body: Body) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def _masked(value: JsonValue, redactor: Redactor) -> JsonValue:
    if isinstance(value, str):
        return redactor.identifier(value) if " " not in value else redactor.text(value)
    if isinstance(value, list):
        return [_masked(item, redactor) for item in value]
    return {k: _masked(v, redactor) for k, v in value.items()} if isinstance(value, dict) else value


def _without_login(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


# --- reading ----------------------------------------------------------------------------------------------------------
@contextmanager
def _member(raw: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".zip":
        yield raw
        return
    with zipfile.ZipFile(raw) as bundle, bundle.open(MEMBER) as member:
        yield member


def _read(stream: IO[bytes], path: Path) -> Archive:
    kinds = {kind.record_kind: kind for kind in RECORDS}
    run: Run | None = None
    records: dict[str, list[Record]] = {}
    events: list[Event] = []
    artifacts: dict[Digest, bytes] = {}
    running = hashlib.sha256()
    for count, line in enumerate(stream):
        body = json.loads(line)
        if body["type"] == "end":
            if (body["lines"], body["sha256"]) != (count, running.hexdigest()) or stream.read(1):
                break
            if run is None:
                raise ValueError("it names no run")
            return Archive(run, {k: tuple(v) for k, v in records.items()}, tuple(events), artifacts)
        running.update(line)
        if body["type"] == "run":
            run = Run.model_validate(body["body"])
        elif body["type"] == "record":
            records.setdefault(body["kind"], []).append(kinds[body["kind"]].model_validate(body["body"]))
        elif body["type"] == "event":
            events.append(Event.model_validate(body["body"]))
        elif body["type"] == "artifact":
            artifacts[Digest(body["digest"])] = base64.b64decode(body["base64"], validate=True)
    raise UsageError(f"archive {str(path)!r} is cut or was changed", why="its last line does not fit what is before it")
