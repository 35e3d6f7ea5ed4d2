"""What a checkpoint may hold when it is read back."""

import json
import logging
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.types import Interrupt, Send
from pydantic import BaseModel

from leadline.adapters.store.serde import StrictSerializer
from leadline.contracts.errors import CorruptStore


class Model(BaseModel):
    text: str


class Call:
    """Packed as LangGraph packs objects: an extension that names what rebuilds it."""

    def __init__(self, code: int, *named: Any) -> None:
        self.packed = ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(named)))


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"raw",
        {"tasks": ["t-1", "t-2"], "n": 1, "x": 0.5, "none": None, "deep": {"a": [True]}},
        {"send": [Send("execute", {"task_id": "t-1"})], "asked": [Interrupt(value="go?", id="i-1")]},
    ],
    ids=["nothing", "bytes", "plain", "LangGraph's own"],
)
def test_plain_values_and_langgraphs_own_types_read_back(value: Any) -> None:
    serde = StrictSerializer()
    assert serde.loads_typed(serde.dumps_typed(value)) == value


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("depth", [0, 1])
def test_nothing_that_a_row_names_is_called(tmp_path: Path, code: int, depth: int) -> None:
    marker = tmp_path / "made"
    arguments: Any = {0: str(marker), 1: [str(marker)], 2: {"name": str(marker)}, 3: str(marker)}.get(
        code, {"name": str(marker)}
    )
    named = ("pathlib", "Path", str(marker), "mkdir") if code == 3 else ("os", "mkdir", arguments, "mkdir")
    packed = Call(code, *named).packed
    if depth:
        packed = b"\x81\xa1a" + packed
    with pytest.raises(CorruptStore, match="blocked type"):
        StrictSerializer().loads_typed(("msgpack", packed))
    assert not marker.exists()


def test_a_type_of_ours_is_refused_not_turned_into_a_dict() -> None:
    serde = StrictSerializer()
    with pytest.raises(CorruptStore) as refused:
        serde.loads_typed(serde.dumps_typed({"model": Model(text="x")}))
    assert "Model" in refused.value.why


def test_allowing_more_for_a_graph_keeps_it_strict() -> None:
    serde = StrictSerializer().with_msgpack_allowlist([Model])
    assert serde.loads_typed(serde.dumps_typed(Model(text="x"))) == Model(text="x")
    with pytest.raises(CorruptStore, match="blocked type"):
        serde.loads_typed(("msgpack", Call(1, "os", "mkdir", ["/tmp/never"]).packed))


@pytest.mark.parametrize("kind", ["json", "pickle", "msgpack+aes", ""])
def test_other_encodings_are_refused(kind: str) -> None:
    with pytest.raises(CorruptStore, match="unknown type"):
        StrictSerializer().loads_typed((kind, b"{}"))


@pytest.mark.parametrize("raw", [b"", b"\xc1", b"\x81\xa1a", b"\xdc\xff\xff", b"\x91" * 5000], ids=range(5))
def test_what_is_no_msgpack_is_refused(raw: bytes) -> None:
    with pytest.raises(CorruptStore, match="cannot be read"):
        StrictSerializer().loads_typed(("msgpack", raw))


def test_hostile_checkpoint_is_refused(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    packed = (shared / "data" / "hostile" / "14_checkpoint_msgpack_callable.bin").read_bytes()
    with pytest.raises(CorruptStore, match="blocked type"):
        StrictSerializer().loads_typed(("msgpack", packed))
    assert not list(Path("/tmp").glob("hostile-*"))


def test_hostile_envelopes_stay_plain_data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "never-read")
    envelopes = json.loads((shared / "data" / "hostile" / "13_lc_envelopes.json").read_text(encoding="utf-8"))
    serde = StrictSerializer()
    assert serde.loads_typed(serde.dumps_typed({"log": envelopes})) == {"log": envelopes}
    assert not list(Path("/tmp").glob("hostile-*"))
