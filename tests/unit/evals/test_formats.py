"""The registry of formats, and how a case comes to be: whole or not at all."""

import pytest

from leadline.contracts.errors import DatasetError, UsageError
from leadline.contracts.incident import Incident
from leadline.evals.expected import Expected
from leadline.evals.formats import FORMATS, importer
from leadline.evals.formats.base import new_case

NAMES = {
    "changerca", "cloud_opsbench", "holmesgpt", "nezha", "openrca", "opensre", "petshop", "rcaeval", "rootcausebench",
}  # fmt: skip


def test_every_format_is_found_by_its_name():
    assert set(FORMATS) == NAMES
    assert all(importer(name).name == name and importer(name).describes for name in NAMES)


def test_an_unknown_format_is_told_with_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown format 'zip'.*changerca"):
        importer("zip")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_folder_that_is_something_else_is_refused_and_nothing_written(name, tmp_path):
    (tmp_path / "src").mkdir()

    with pytest.raises(DatasetError, match="below"):
        importer(name).import_all(tmp_path / "src", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_case_appears_only_when_it_is_whole(tmp_path):
    def interrupted():
        with new_case(tmp_path, "x-0001") as case:
            case.incident(Incident(id="x-0001", title="half"))
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert list(tmp_path.iterdir()) == []

    with new_case(tmp_path, "x-0001") as case:
        case.incident(Incident(id="x-0001", title="whole"))
        case.expect(Expected(outcome="no_incident"))
    assert sorted(path.name for path in (tmp_path / "x-0001").iterdir()) == ["bundle", "expected.yaml"]


def test_rows_are_sorted_and_unknown_columns_kept_as_text(tmp_path, rows):
    from leadline.evals.dataset import load_case

    with new_case(tmp_path, "x-0001") as case:
        case.incident(Incident(id="x-0001", title="t"))
        case.expect(Expected(outcome="no_incident"))
        case.tables.rows("topology", [{"caller": "b", "callee": "c"}, {"caller": "a", "callee": "c", "zone": "eu"}])
        assert case.tables.rows("logs", []) == 0
    read = load_case(tmp_path / "x-0001")

    assert [(r["caller"], r["zone"], r["weight"]) for r in rows(read, "topology")] == [
        ("a", "eu", None),
        ("b", None, None),
    ]
    assert not (read.bundle / "logs.parquet").exists()


def test_only_so_many_cases_as_are_asked_for(shared, tmp_path):
    summary = FORMATS["rootcausebench"].import_all(shared / "data" / "rootcausebench", tmp_path / "out", limit=2)

    assert summary.cases == len(list((tmp_path / "out").iterdir())) == 2
