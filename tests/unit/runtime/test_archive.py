"""A finished run as one file, and back."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import leadline.contracts
from leadline.contracts.base import Record
from leadline.contracts.errors import UsageError
from leadline.contracts.proposal import FindingsProposal
from leadline.contracts.records import RECORDS
from leadline.contracts.report import IncidentReport
from leadline.contracts.task import Task
from leadline.contracts.team import Requirement
from leadline.runtime.archive import read_archive, write_archive
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.team import load_team
from tests.doubles.paper import PaperEvidence
from tests.graph.conftest import parts_of

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return load_settings(database=tmp_path / "runs.db", model="rules", user="ada")


def left_over(folder: Path) -> list[Path]:
    return list(folder.glob(".*part"))


async def archived(settings: Any, out: Path, **how: Any) -> tuple[Any, Any, int]:
    async with open_service(settings, parts_of(PaperEvidence(), **how)) as service:
        outcome = await service.start(StartRequest(bundle=Path("paper")))
        reader = service.store.reader(outcome.run.run_id)
        lines = await write_archive(outcome.run, reader, out)
        kept = {kind.record_kind: await reader.all(kind) for kind in RECORDS}
        return (outcome.run, kept), await reader.events(), lines


def subclasses(base: type[Record]) -> set[type[Record]]:
    return {s for c in base.__subclasses__() for s in ({c} if hasattr(c, "record_kind") else set()) | subclasses(c)}


def test_every_kind_of_record_is_archived() -> None:
    import importlib
    import pkgutil

    for module in pkgutil.iter_modules(leadline.contracts.__path__):
        importlib.import_module(f"leadline.contracts.{module.name}")
    ours = {s for s in subclasses(Record) if s.__module__.startswith("leadline.contracts")}
    assert ours == set(RECORDS)
    assert len({kind.record_kind for kind in RECORDS}) == len(RECORDS)


@pytest.mark.parametrize("suffix", [".jsonl", ".zip"])
async def test_what_is_read_back_is_what_was_written(settings: Any, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"run{suffix}"
    (run, kept), events, lines = await archived(settings, out, script={FindingsProposal: FindingsProposal(claims=[])})
    again = read_archive(out)
    assert again.run.run_id == run.run_id
    assert {k: v for k, v in kept.items() if v} == again.records
    assert again.events == events
    assert lines == 1 + sum(map(len, kept.values())) + len(events) + len(again.artifacts)
    assert again.artifacts
    assert not left_over(tmp_path)


async def test_the_report_and_the_tasks_can_be_looked_at(settings: Any, tmp_path: Path) -> None:
    await archived(settings, tmp_path / "run.zip")
    again = read_archive(tmp_path / "run.zip")
    report = again.records[IncidentReport.record_kind][0]
    assert report.status == "concluded"  # type: ignore[attr-defined]
    assert {t.state for t in again.records[Task.record_kind]} == {"merged"}  # type: ignore[attr-defined]
    with zipfile.ZipFile(tmp_path / "run.zip") as bundle:
        assert bundle.namelist() == ["run.jsonl"]


async def test_no_secret_and_no_login_leaves(settings: Any, tmp_path: Path) -> None:
    rule = Requirement(id="r", statement=f"deploy with token {SECRET} only", forbids=("restart",))
    team = load_team().model_copy(update={"requirements": (rule,)})
    out = tmp_path / "run.jsonl"
    async with open_service(settings, parts_of(PaperEvidence(), team=team)) as service:
        outcome = await service.start(StartRequest(bundle=Path("paper")))
        config = outcome.run.config.model_copy(update={"ollama_url": "http://ada:hunter2@gpu:11434"})
        run = outcome.run.model_copy(update={"config": config})
        await write_archive(run, service.store.reader(run.run_id), out)
    text = out.read_text("utf-8")
    assert SECRET not in text
    assert "hunter2" not in text
    assert read_archive(out).run.config.ollama_url == "http://gpu:11434"


@pytest.mark.parametrize("harm", ["cut", "changed", "longer", "empty"])
async def test_a_cut_or_changed_file_is_noticed(settings: Any, tmp_path: Path, harm: str) -> None:
    out = tmp_path / "run.jsonl"
    await archived(settings, out)
    raw = out.read_bytes()
    out.write_bytes(
        {
            "cut": raw[: len(raw) // 2].rpartition(b"\n")[0] + b"\n",
            "changed": raw.replace(b'"merged"', b'"nerged"', 1).replace(b"till", b"tell", 1),
            "longer": raw + b'{"type":"event"}\n',
            "empty": b"",
        }[harm]
    )
    with pytest.raises(UsageError):
        read_archive(out)


async def test_a_run_that_goes_on_is_not_archived(settings: Any, tmp_path: Path) -> None:
    async with open_service(settings, parts_of(PaperEvidence())) as service:
        waiting = await service.start(StartRequest(bundle=Path("paper"), ask=frozenset({"plan"})))
        with pytest.raises(UsageError, match="is not over"):
            await write_archive(waiting.run, service.store.reader(waiting.run.run_id), tmp_path / "run.zip")
    assert not (tmp_path / "run.zip").exists()


async def test_nothing_is_written_over_and_nothing_half(settings: Any, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    out.write_text("mine")
    with pytest.raises(UsageError, match="cannot be written"):
        await archived(settings, out)
    with pytest.raises(UsageError, match="no known ending"):
        await archived(settings, tmp_path / "run.tar")
    with pytest.raises(UsageError, match="cannot be written"):
        await archived(settings, tmp_path / "nowhere" / "run.zip")
    assert out.read_text() == "mine"
    assert not left_over(tmp_path)


async def test_each_line_is_json_of_a_known_type(settings: Any, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    await archived(settings, out)
    types = [json.loads(line)["type"] for line in out.read_text("utf-8").splitlines()]
    assert (types[0], types[-1]) == ("run", "end")
    assert set(types) == {"run", "record", "event", "end"}
