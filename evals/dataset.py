"""A data set: a folder of cases, each a bundle and, beside it, what its answer should be."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..contracts.errors import DatasetError
from ..contracts.incident import AnswerSpace
from .expected import FILE_NAME, Expected, read_expected

BUNDLE = "bundle"


class Case(NamedTuple):
    name: str
    bundle: Path
    """All that a run is ever handed."""
    expected: Expected


def case_folders(dataset: Path) -> list[Path]:
    """Folders that look like a case, in name order; raise `DatasetError` where there is none."""
    if not dataset.is_dir():
        raise DatasetError(
            f"no data set at {str(dataset)!r}", hint="leadline bundle import FORMAT SRC --out DIR makes one"
        )
    folders = sorted(
        path for path in dataset.iterdir() if path.is_dir() and not path.name.startswith((".", "_")) and _looks(path)
    )
    if not folders:
        raise DatasetError(
            f"no case in {str(dataset)!r}", why=f"a case is a folder with {BUNDLE}/ and {FILE_NAME} in it"
        )
    return folders


def load_case(folder: Path) -> Case:
    """A case; how many answers were possible comes from its answer space where `expected.yaml` does not say."""
    bundle = folder / BUNDLE
    incident = bundle / "incident.yaml"
    if not incident.is_file():
        raise DatasetError(f"case {folder.name!r} has no {BUNDLE}/incident.yaml", why=str(bundle))
    expected = read_expected(folder / FILE_NAME)
    if expected.candidates is None and expected.causes:
        space = answer_space(incident)
        if space is not None and space.causes:
            expected = expected.model_copy(update={"candidates": len(space.causes)})
    return Case(folder.name, bundle, expected)


def answer_space(incident: Path) -> AnswerSpace | None:
    """What an `incident.yaml` allows as an answer; None where it cannot be read."""
    try:
        raw = YAML(typ="safe").load(incident.read_text(encoding="utf-8"))
        return AnswerSpace.model_validate((raw or {}).get("answer_space") or {})
    except (YAMLError, ValueError, AttributeError):
        return None


def load_dataset(dataset: Path, *, tags: Mapping[str, str] | None = None) -> tuple[Case, ...]:
    """All cases, or those that carry every one of `tags`, in name order."""
    wanted = dict(tags or {})
    cases = tuple(load_case(folder) for folder in case_folders(dataset))
    chosen = tuple(case for case in cases if wanted.items() <= case.expected.tags.items())
    if not chosen:
        asked = ", ".join(f"{key}={value}" for key, value in sorted(wanted.items()))
        raise DatasetError(f"no case of {str(dataset)!r} carries {asked}")
    return chosen


def _looks(path: Path) -> bool:
    return (path / BUNDLE).exists() or (path / FILE_NAME).exists()
