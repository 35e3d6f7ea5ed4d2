"""What an evaluation consists of, and what its results may be compared with."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from ..contracts.base import Contract, Digest, Utc, derived_id, digest_of
from .dataset import Case
from .scorers import MEASURES

PARTS = frozenset({".py", ".yaml", ".j2", ".txt"})
ROOMS = ("contracts", "rules", "evidence", "prompts", "nodes", "graph", "adapters", "runtime", "evals")


class Cell(Contract):
    """One run that an evaluation asks for."""

    case: str
    graph: str
    model: str
    """`rules` or `ollama:NAME`, as it was asked for."""
    trial: int = Field(default=1, ge=1)

    @property
    def key(self) -> str:
        return f"{self.case}|{self.graph}|{self.model}|{self.trial}"


class EvalSpec(Contract):
    """All that decides what the results mean; equal specs give comparable cells."""

    schema_version: Literal[1] = Field(default=1, alias="schema", serialization_alias="schema")
    dataset: str
    """Its folder."""
    data: Digest
    """Of the case names, bundles and truths."""
    tags: dict[str, str] = Field(default_factory=dict)
    """Only cases that carry all of these."""
    graphs: tuple[str, ...] = Field(min_length=1)
    models: tuple[str, ...] = Field(min_length=1)
    trials: int = Field(default=1, ge=1)
    team: str = ""
    code: Digest
    """Of the product's own files: results of two codes are never mixed."""
    measures: dict[str, int]
    """Versions of the measures."""

    @property
    def fingerprint(self) -> Digest:
        return digest_of(self.model_dump(mode="json", by_alias=True))

    def cells(self, cases: Sequence[Case]) -> tuple[Cell, ...]:
        """Case by case, so that versions share what a case costs to open."""
        return tuple(
            Cell(case=case.name, graph=graph, model=model, trial=trial)
            for case in cases
            for graph in self.graphs
            for model in self.models
            for trial in range(1, self.trials + 1)
        )


class Evaluation(Contract):
    evaluation_id: str
    spec: EvalSpec
    started_at: Utc
    versions: dict[str, JsonValue] = Field(default_factory=dict)
    """Structure hash by graph, prompt hashes: what a version was when it ran."""


def new_id(spec: EvalSpec, ordinal: int) -> str:
    return derived_id("eval", spec.fingerprint, ordinal)


def measure_versions() -> dict[str, int]:
    return {name: measure.version for name, measure in MEASURES.items()}


def data_digest(cases: Sequence[Case]) -> Digest:
    """Sizes and names of the files, and the truth itself: cheap, and enough to see that a set has changed."""
    listed: list[JsonValue] = []
    for case in cases:
        files = sorted(path for path in case.bundle.rglob("*") if path.is_file())
        sizes: list[JsonValue] = [[str(path.relative_to(case.bundle)), path.stat().st_size] for path in files]
        listed.append([case.name, case.expected.model_dump(mode="json"), sizes])
    return digest_of(listed)


@cache
def code_digest() -> Digest:
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((package / room).rglob("*")):
            if path.suffix in PARTS and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return Digest(digest.hexdigest())
