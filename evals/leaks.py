"""Truth inside a bundle: file names, labels and words that only the answer's author could have put there."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from .dataset import BUNDLE
from .expected import Expected

TRUTH_FILES = re.compile(
    r"^(?:ground[_-]?truth|truth|answers?|answer[_-]?key|expected|solutions?|root[_-]?causes?|fault[_-]?list|"
    r"scoring[_-]?points|qa[_-]?validation)$",
    re.IGNORECASE,
)
TRUTH_LABELS = (
    "ground_truth", "groundtruth", "fault_type", "fault_object", "fault_taxonomy", "inject_type", "inject_pod",
    "root_cause", "root_cause_commit", "root_cause_category", "fault_release_service", "normal_service_list",
    "rds_failure_mode", "k8s_failure_mode", "failure_mode", "expected_output", "decoy_deploy_commits", "scoring_points",
)  # fmt: skip
"""Names of labels and columns under which collections keep their truth."""
TEXT = {".csv", ".json", ".jsonl", ".ndjson", ".txt", ".yaml", ".yml", ".md", ".log"}
COMPOUND = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)+")
CHUNK = 1 << 20


class Leak(NamedTuple):
    file: str
    what: str


def leaks(case: Path, expected: Expected) -> Iterator[Leak]:
    """Look through a case's bundle; the answer space may name the answer, as it names all others."""
    bundle = case / BUNDLE
    telling = _telling(case.name, expected)
    for path in sorted(bundle.rglob("*")):
        where = str(path.relative_to(case))
        if path.is_symlink():
            yield Leak(where, "a link, which may lead to the truth")
        elif path.is_file():
            if TRUTH_FILES.match(path.name.partition(".")[0]):
                yield Leak(where, "a file of this name holds the truth")
            yield from (Leak(where, what) for what in _inside(path, telling))
    spoken = [word for word in _words(expected) if word in case.name.lower()]
    if spoken:
        yield Leak(f"{BUNDLE}/incident.yaml", f"the case's name says {spoken[0]!r}")


def _telling(case_name: str, expected: Expected) -> re.Pattern[str]:
    """Labels as keys or columns; compound fault names and a speaking case name anywhere."""
    words = _words(expected)
    if re.search(r"[a-z]-[a-z]", case_name.lower()):
        words.append(case_name.lower())
    labels = "|".join(map(re.escape, TRUTH_LABELS))
    parts = [rf"[\"']?\b({labels})\b[\"']?\s*[:=,]"]
    if words:
        parts.append(rf"(?<![\w-])({'|'.join(map(re.escape, words))})(?![\w-])")
    return re.compile("|".join(parts), re.IGNORECASE)


def _words(expected: Expected) -> list[str]:
    """Fault names that nobody writes by chance: two words or more, and not what the alert's own data would say."""
    reasons = {cause.reason.lower() for cause in expected.causes if cause.reason}
    return sorted(reason for reason in reasons if COMPOUND.fullmatch(reason))


def _inside(path: Path, telling: re.Pattern[str]) -> Iterator[str]:
    if path.suffix == ".parquet":
        yield from _in_columns(path)
        return
    if path.suffix not in TEXT:
        return
    if path.name == "incident.yaml":
        yield from _in_text(_without_answer_space(path), telling)
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        if path.suffix == ".csv":
            yield from _labels(next(csv.reader(file), []))
            file.seek(0)
        while chunk := file.read(CHUNK):
            found = list(_in_text(chunk, telling))
            yield from found
            if found:
                return


def _in_text(text: str, telling: re.Pattern[str]) -> Iterator[str]:
    found = telling.search(text)
    if found:
        yield f"it says {next(group for group in found.groups() if group)!r}"


def _in_columns(path: Path) -> Iterator[str]:
    with duckdb.connect() as db:
        columns = [row[0] for row in db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()]
    yield from _labels(columns)


def _labels(columns: list[str]) -> Iterator[str]:
    return (f"column {name!r} is a truth label" for name in columns if name.strip().lower() in TRUTH_LABELS)


def _without_answer_space(path: Path) -> str:
    try:
        raw = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except (YAMLError, UnicodeDecodeError):
        return ""
    return "\n".join(_flat({key: value for key, value in (raw or {}).items() if key not in {"answer_space", "id"}}))


def _flat(value: object) -> Iterator[str]:
    """`key: value` lines of whatever is nested."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{key}: {inner if not isinstance(inner, (dict, list)) else ''}"
            if isinstance(inner, (dict, list)):
                yield from _flat(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _flat(inner)
    else:
        yield str(value)
