"""One table of all collections: what has a folder is imported once, evaluated, and grouped by system."""

import pytest

from leadline.evals import public
from leadline.evals.dataset import load_dataset


@pytest.fixture
def folder(tmp_path, write_csv, write_json):
    """A PetShop of one issue, beside a folder that is no collection."""
    scenario = tmp_path / "data" / "petshop" / "dataset" / "calm"
    head = [["m", "shop", "bill"], ["metric", "latency", "latency"], ["s", "p90", "p90"], ["unix_timestamp", "", ""]]
    write_csv(scenario / "graph.csv", [["", "shop", "bill"], ["shop", "0", "1"], ["bill", "0", "0"]])
    write_csv(scenario / "noissue" / "metrics.csv", head + [[1e9 + 300 * i, 0.1, 0.2] for i in range(12)])
    issue = scenario / "test" / "issue_1"
    write_csv(issue / "metrics.csv", head + [[9e8 + 300 * i, 0.9, 0.8] for i in range(4)])
    about = {"node": "shop", "metric": "latency", "agg": "p90", "timestamp": 900000600}
    write_json(issue / "target.json", {"target": about, "root_cause": {"node": "bill", "metric": None}})
    (tmp_path / "data" / "nezha").mkdir()
    (tmp_path / "data" / "unknown").mkdir()
    return tmp_path / "data"


async def test_collections_are_imported_once_and_evaluated(folder, tmp_path, capsys):
    work = tmp_path / "work"

    rows = await public.run_public(folder, work, ("star@1",))

    assert [(row.name, row.summary.version.graph, row.summary.cases) for row in rows] == [("petshop", "star@1", 1)]
    assert "no Nezha fault" in capsys.readouterr().err
    (case,) = load_dataset(work / "sets" / "petshop")
    stamp = (case.bundle / "incident.yaml").stat().st_mtime_ns
    again = await public.run_public(folder, work, ("star@1",))
    assert [row.summary.measures["seconds"] for row in again] == [row.summary.measures["seconds"] for row in rows]
    assert (case.bundle / "incident.yaml").stat().st_mtime_ns == stamp

    text = public.table(rows)
    assert text.splitlines()[0].split() == ["set", "version", "cases", *public.COLUMNS, "failed"]
    assert text.splitlines()[1].split()[:3] == ["petshop", "star@1", "1"]
    assert text.splitlines()[1].split()[-1] == "0"
