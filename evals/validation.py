"""What makes a data set untrustworthy: leaks, duplicates, answers that cannot be given, missing files."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from ..contracts.errors import DatasetError
from ..contracts.incident import AnswerSpace
from .dataset import BUNDLE, answer_space, case_folders
from .expected import FILE_NAME, Expected, ExpectedCause, read_expected
from .leaks import leaks

ProblemKind = Literal["missing", "unreadable", "leak", "duplicate", "unreachable"]
SHOWN = 5


class Problem(NamedTuple):
    case: str
    file: str
    """Inside the case's folder."""
    kind: ProblemKind
    what: str

    def __str__(self) -> str:
        return f"{self.case}/{self.file}: {self.kind}: {self.what}"


def check_dataset(dataset: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with it, case by case; raise `DatasetError` only where it is no data set at all."""
    folders = case_folders(dataset)
    return tuple(problem for folder in folders for problem in check_case(folder)) + tuple(_duplicates(folders))


def require_valid(dataset: Path) -> None:
    problems = check_dataset(dataset)
    if problems:
        more = f" and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise DatasetError(
            f"data set {str(dataset)!r} cannot be trusted",
            why="; ".join(str(problem) for problem in problems[:SHOWN]) + more,
        )


def check_case(folder: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with one case by itself."""
    return tuple(_problems(folder))


def _problems(folder: Path) -> Iterator[Problem]:
    incident = folder / BUNDLE / "incident.yaml"
    if not incident.is_file():
        yield Problem(folder.name, f"{BUNDLE}/incident.yaml", "missing", "a bundle needs it")
    try:
        expected = read_expected(folder / FILE_NAME)
    except DatasetError as error:
        kind: ProblemKind = "unreadable" if (folder / FILE_NAME).exists() else "missing"
        yield Problem(folder.name, FILE_NAME, kind, error.why or error.what)
        return
    yield from (Problem(folder.name, FILE_NAME, "unreadable", what) for what in _contradictions(expected))
    if not incident.is_file():
        return
    space = answer_space(incident)
    if space is None:
        yield Problem(folder.name, f"{BUNDLE}/incident.yaml", "unreadable", "its answer_space does not hold together")
    else:
        yield from (Problem(folder.name, FILE_NAME, "unreachable", what) for what in _unreachable(expected, space))
    for source in expected.required_evidence:
        if not _has_source(folder / BUNDLE, source):
            yield Problem(folder.name, f"{BUNDLE}/{source}", "missing", "the answer requires it")
    yield from (Problem(folder.name, leak.file, "leak", leak.what) for leak in leaks(folder, expected))


def _contradictions(expected: Expected) -> Iterator[str]:
    if expected.outcome == "cause_found" and not expected.causes and not expected.facts:
        yield "outcome cause_found, but neither causes nor facts"
    if expected.healthy_control and expected.outcome != "no_incident":
        yield "a healthy control whose outcome is not no_incident"
    named = {(cause.kind, name) for cause in expected.causes for name in cause.names}
    both = sorted(cause.ref for cause in expected.forbidden if (cause.kind, cause.ref) in named)
    if both:
        yield f"both expected and forbidden: {', '.join(both)}"


def _unreachable(expected: Expected, space: AnswerSpace) -> Iterator[str]:
    """The truth must be sayable: with `all_of` each cause, otherwise one of them."""
    reasons = [_why_unreachable(cause, expected, space) for cause in expected.causes]
    bad = [reason for reason in reasons if reason]
    if bad and (expected.all_of or len(bad) == len(reasons)):
        yield from bad


def _why_unreachable(cause: ExpectedCause, expected: Expected, space: AnswerSpace) -> str:
    listed = {candidate.ref for candidate in space.causes}
    if listed and not listed & set(cause.names):
        return f"cause {cause.ref!r} is not in the answer space"
    if space.kinds and cause.kind not in space.kinds:
        return f"kind {cause.kind!r} of cause {cause.ref!r} is not in the answer space"
    if (
        "reason" in expected.judged_by
        and space.reasons
        and not {cause.reason, *cause.reason_aliases} & set(space.reasons)
    ):
        return f"reason {cause.reason!r} is not in the answer space"
    return ""


def _duplicates(folders: list[Path]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for folder in folders:
        digest = _data_digest(folder / BUNDLE)
        if digest and digest in seen:
            yield Problem(folder.name, BUNDLE, "duplicate", f"same data as case {seen[digest]!r}")
        seen.setdefault(digest, folder.name)


def _data_digest(bundle: Path) -> str:
    """Of all files but `incident.yaml`, which holds the case's own name; empty where there is no data."""
    digest = hashlib.sha256()
    files = sorted(path for path in bundle.rglob("*") if path.is_file() and path.name != "incident.yaml")
    for path in files:
        digest.update(str(path.relative_to(bundle)).encode() + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest() if files else ""


def _has_source(bundle: Path, source: str) -> bool:
    pattern = re.compile(rf"^{source}(?:\.|$)")
    return any(pattern.match(path.name) for path in bundle.iterdir()) if bundle.is_dir() else False
