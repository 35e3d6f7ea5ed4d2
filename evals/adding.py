"""A run becomes a case: its bundle, and what the answer should have been."""

import asyncio
import shutil
from pathlib import Path

from ..contracts.base import RunId
from ..contracts.errors import DatasetError, UsageError
from ..contracts.run import Run
from ..evidence.opened import open_bundle
from ..runtime.service import open_service
from ..runtime.settings import Settings
from .dataset import BUNDLE, Case, load_case
from .expected import FILE_NAME, Expected, read_expected, write_expected
from .validation import check_case

PREFIX = "case"


async def add_case(settings: Settings, run_id: str, dataset: Path, expect: Path) -> Case:
    """Copy the bundle of a run into a data set, with the expected answer in the file `expect` beside it.

    Raises:
        UsageError: the bundle has moved or changed since the run.
        DatasetError: the case would leak, or could not be answered; nothing is left behind.
    """
    async with open_service(settings) as service:
        run = await service.store.run(RunId(run_id))
    return await asyncio.to_thread(_add, run, dataset, read_expected(expect))


def _add(run: Run, dataset: Path, expected: Expected) -> Case:
    source = Path(run.config.bundle_path)
    if not source.is_dir():
        raise UsageError(f"the bundle of run {run.run_id} is gone", why=str(source))
    evidence = open_bundle(source)
    evidence.close()
    if evidence.bundle_digest != run.config.bundle_digest:
        raise UsageError(f"the bundle of run {run.run_id} has changed since", why=str(source))
    folder = _next(dataset)
    partial = dataset / f".{folder.name}.partial"
    try:
        shutil.copytree(source, partial / BUNDLE, symlinks=True)
        write_expected(partial / FILE_NAME, expected)
        problems = check_case(partial)
        if problems:
            what = "; ".join(f"{p.file}: {p.kind}: {p.what}" for p in problems[:3])
            raise DatasetError(f"run {run.run_id} makes no sound case", why=what)
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return load_case(folder)


def _next(dataset: Path) -> Path:
    """The first free number; the folder's name must tell nothing."""
    dataset.mkdir(parents=True, exist_ok=True)
    number = 1
    while (dataset / f"{PREFIX}-{number:04d}").exists():
        number += 1
    return dataset / f"{PREFIX}-{number:04d}"
