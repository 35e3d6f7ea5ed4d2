"""Small hand-made collections in the layouts of the public ones; all names are invented."""

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML

from leadline.evals.dataset import Case, load_case

Rows = Callable[[Case, str], list[dict[str, Any]]]


@pytest.fixture
def rows() -> Rows:
    """A table of a case's bundle, as dictionaries, in file order."""

    def read(case: Case, source: str) -> list[dict[str, Any]]:
        files = sorted(case.bundle.glob(f"{source}.parquet")) + sorted(case.bundle.glob(f"{source}/*.parquet"))
        if not files:
            return []
        with duckdb.connect() as db:
            db.execute("SET TimeZone='UTC'")
            found = db.execute("SELECT * FROM read_parquet(?, union_by_name=true)", [[str(f) for f in files]])
            names = [column[0] for column in found.description or []]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    return read


@pytest.fixture
def only_case() -> Callable[[Path], Case]:
    def read(out: Path) -> Case:
        (folder,) = sorted(out.iterdir())
        return load_case(folder)

    return read


@pytest.fixture
def incident() -> Callable[[Case], dict[str, Any]]:
    def read(case: Case) -> dict[str, Any]:
        return dict(YAML(typ="safe").load((case.bundle / "incident.yaml").read_text("utf-8")))

    return read


@pytest.fixture
def bundle_text() -> Callable[[Case], str]:
    """Every file of a bundle as text, names included: what a run could read."""

    def read(case: Case) -> str:
        parts = []
        for path in sorted(case.bundle.rglob("*")):
            parts.append(str(path.relative_to(case.bundle)))
            if path.suffix == ".parquet":
                with duckdb.connect() as db:
                    parts.append(str(db.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()))
                    parts.append(str(db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()))
            elif path.is_file():
                parts.append(path.read_text("utf-8"))
        return "\n".join(parts)

    return read


@pytest.fixture
def write_csv() -> Callable[[Path, Iterable[Iterable[Any]]], None]:
    def write(path: Path, lines: Iterable[Iterable[Any]]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)

    return write


@pytest.fixture
def write_json() -> Callable[[Path, Any], None]:
    def write(path: Path, value: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")

    return write
