"""Results on disk: one folder per evaluation beside the database, one line per finished cell.

A line is written whole and flushed to the disk before a cell counts as finished; a line cut by a kill is dropped.
"""

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from ..contracts.base import Contract
from ..contracts.errors import StoreError, UsageError
from .plan import Cell, EvalSpec, Evaluation, new_id

FOLDER = "evaluations"


class Verdict(Contract):
    """What a run answered, as far as comparisons show it."""

    outcome: str
    causes: tuple[dict[str, JsonValue], ...] = ()
    """The first five: kind, ref, service, reason, confidence."""


class CellResult(Contract):
    cell: Cell
    run: str = ""
    """Id of the run; empty where none was started."""
    state: Literal["concluded", "failed"]
    error: str = ""
    """Why a cell failed; it scores as if it had said nothing."""
    model: str = ""
    """What answered in the end: a model that is not there is replaced by none."""
    verdict: Verdict
    scores: dict[str, float | None]
    without_model: dict[str, float | None] = Field(default_factory=dict)
    """Scores of what the same run would have said with no model."""
    matrix: dict[str, float | None] = Field(default_factory=dict)
    degraded: int = 0
    """Questions that the rules answered in the model's place."""
    seconds: float = 0.0
    """The investigation."""
    overhead: float = 0.0
    """Seconds that evaluating it cost beyond."""
    tags: dict[str, str] = Field(default_factory=dict)
    """The case's."""


class ResultStore:
    """All evaluations beside one database."""

    def __init__(self, database: Path) -> None:
        self._root = database.parent / FOLDER

    def begin(
        self, spec: EvalSpec, now: datetime, versions: dict[str, JsonValue], *, reuse: bool = False
    ) -> tuple[Evaluation, bool]:
        """An unfinished evaluation of the same spec (with `reuse` a finished one too), or a new one; and whether it
        goes on.
        """
        ordinal = 0
        while True:
            folder = self._root / new_id(spec, ordinal)
            if not folder.exists():
                break
            if reuse or not (folder / "finished").exists():
                return self.evaluation(folder.name), True
            ordinal += 1
        evaluation = Evaluation(evaluation_id=folder.name, spec=spec, started_at=now, versions=versions)
        try:
            folder.mkdir(parents=True)
            (folder / "results.jsonl").touch()
            (folder / "evaluation.json").write_text(evaluation.model_dump_json(by_alias=True), encoding="utf-8")
        except OSError as error:
            raise StoreError(f"cannot write evaluations to {str(self._root)!r}", why=str(error)) from error
        return evaluation, False

    def add(self, evaluation_id: str, result: CellResult) -> None:
        try:
            with (self._root / evaluation_id / "results.jsonl").open("a", encoding="utf-8") as file:
                file.write(result.model_dump_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"cannot write results of {evaluation_id!r}", why=str(error)) from error

    def folder(self, evaluation_id: str) -> Path:
        return self._root / evaluation_id

    def drop(self, evaluation_id: str, name: str) -> None:
        """Remove a database that served the evaluation only, with what SQLite keeps beside it."""
        for path in self.folder(evaluation_id).glob(f"{name}*"):
            path.unlink()

    def finish(self, evaluation_id: str) -> None:
        (self._root / evaluation_id / "finished").touch()

    def is_finished(self, evaluation_id: str) -> bool:
        return (self._root / evaluation_id / "finished").exists()

    def results(self, evaluation_id: str) -> tuple[CellResult, ...]:
        """Each finished cell once, in the order of finishing."""
        found: dict[str, CellResult] = {}
        for result in self._lines(self._root / evaluation_id / "results.jsonl"):
            found.setdefault(result.cell.key, result)
        return tuple(found.values())

    def evaluation(self, evaluation_id: str) -> Evaluation:
        """By its id or an unambiguous beginning of it."""
        matching = [name for name in self._names() if name.startswith(evaluation_id)]
        if len(matching) != 1:
            many = f"it may be {', '.join(matching[:5])}" if matching else "there is none of this name"
            raise UsageError(f"no evaluation {evaluation_id!r}", why=many, hint="leadline eval list")
        path = self._root / matching[0] / "evaluation.json"
        try:
            return Evaluation.model_validate_json(path.read_text(encoding="utf-8"))
        except (OSError, ValidationError) as error:
            raise StoreError(f"evaluation {matching[0]!r} cannot be read", why=str(error)) from error

    def evaluations(self) -> tuple[Evaluation, ...]:
        """Newest first; one that cannot be read is left out."""
        found = (self._readable(name) for name in self._names())
        return tuple(sorted((e for e in found if e is not None), key=lambda e: e.started_at, reverse=True))

    def _readable(self, name: str) -> Evaluation | None:
        try:
            return self.evaluation(name)
        except StoreError:
            return None

    def _names(self) -> list[str]:
        return sorted(path.name for path in self._root.glob("eval-*")) if self._root.is_dir() else []

    def _lines(self, path: Path) -> Iterator[CellResult]:
        if not path.is_file():
            return
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith("\n"):
                    return
                try:
                    yield CellResult.model_validate(json.loads(line))
                except ValueError as error:
                    raise StoreError(f"{str(path)!r} is damaged in line {number}", why=str(error)) from error
