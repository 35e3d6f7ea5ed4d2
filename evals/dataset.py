"""A data set: a folder of cases, each a bundle and, beside it, what its answer should be."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..contracts.errors import DatasetError
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
    bundle = folder / BUNDLE
    if not (bundle / "incident.yaml").is_file():
        raise DatasetError(f"case {folder.name!r} has no {BUNDLE}/incident.yaml", why=str(bundle))
    return Case(folder.name, bundle, read_expected(folder / FILE_NAME))


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
