"""Checkpoints go on where the run was, for its holder alone, and never from what was not written."""

import operator
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from leadline.adapters.store import SqlRunStore
from leadline.adapters.store.checkpoints import FencedSaver, open_checkpointer
from leadline.adapters.store.tables import checkpoints, writes
from leadline.contracts.errors import LeaseLost, StoreError
from leadline.contracts.run import Run, RunLease

HERE, THERE = "here.invalid:1", "there.invalid:2"
CONFIG: Any = {"configurable": {"thread_id": "run-1", "checkpoint_ns": ""}}


class State(TypedDict):
    done: Annotated[list[str], operator.add]


@pytest.fixture
async def lease(store: SqlRunStore, a_run: Callable[..., Run]) -> RunLease:
    return await store.create(a_run(), HERE, 60.0)


@pytest.fixture
async def saver(store: SqlRunStore, lease: RunLease) -> AsyncIterator[FencedSaver]:
    async with open_checkpointer(store.database, lease) as opened:
        yield opened


async def _plan(_: State) -> dict[str, list[str]]:
    return {"done": ["plan"]}


async def _work(task: dict[str, str]) -> dict[str, list[str]]:
    return {"done": [task["id"]]}


async def _approve(_: State) -> dict[str, list[str]]:
    return {"done": [interrupt("go?")]}


async def _act(_: State) -> dict[str, list[str]]:
    return {"done": ["act"]}


def _graph() -> StateGraph[State]:
    graph = StateGraph(State)
    for name, node in (("plan", _plan), ("work", _work), ("approve", _approve), ("act", _act)):
        graph.add_node(name, node)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", lambda _: [Send("work", {"id": f"t-{n}"}) for n in range(3)], ["work"])
    graph.add_edge("work", "approve")
    graph.add_edge("approve", "act")
    graph.add_edge("act", END)
    return graph


ALL_DONE = ["plan", "t-0", "t-1", "t-2", "yes", "act"]


def _subgraph() -> StateGraph[State]:
    graph = StateGraph(State)
    graph.add_node("inner", _graph().compile())
    graph.add_edge(START, "inner")
    return graph


def _checkpoint(checkpoint_id: str, **values: Any) -> Any:
    return {**empty_checkpoint(), "id": checkpoint_id, "channel_values": values}


async def _handed_over(store: SqlRunStore, lease: RunLease) -> RunLease:
    await store.release(lease)
    return await store.take(lease.run_id, THERE, 60.0)


@pytest.mark.parametrize("build", [pytest.param(_graph, id="graph"), pytest.param(_subgraph, id="subgraph")])
async def test_a_run_stops_for_a_person_and_goes_on_in_another_process(
    store: SqlRunStore, lease: RunLease, build: Callable[[], StateGraph[State]]
) -> None:
    async with open_checkpointer(store.database, lease) as saver:
        stopped = await build().compile(checkpointer=saver).ainvoke({"done": []}, CONFIG, durability="sync")
        assert [item.value for item in stopped["__interrupt__"]] == ["go?"]
    async with open_checkpointer(store.database, await _handed_over(store, lease)) as saver:
        graph = build().compile(checkpointer=saver)
        ended = await graph.ainvoke(Command(resume="yes"), CONFIG, durability="sync")
        assert ended["done"] == ALL_DONE
        assert (await graph.aget_state(CONFIG)).next == ()


async def test_the_latest_is_what_was_written_last_whatever_its_id(saver: FencedSaver) -> None:
    config: Any = CONFIG
    for checkpoint_id in ("1f9-later-clock", "1f0-earlier-clock", "1f5-between"):
        config = await saver.aput(config, _checkpoint(checkpoint_id, of=checkpoint_id), {}, {})
    latest = await saver.aget_tuple(CONFIG)
    assert latest is not None
    assert latest.checkpoint["channel_values"] == {"of": "1f5-between"}
    assert latest.parent_config == {
        "configurable": {"thread_id": "run-1", "checkpoint_ns": "", "checkpoint_id": "1f0-earlier-clock"}
    }
    listed = [item.checkpoint["id"] async for item in saver.alist(CONFIG)]
    assert listed == ["1f5-between", "1f0-earlier-clock", "1f9-later-clock"]
    before = [item.checkpoint["id"] async for item in saver.alist(CONFIG, before=latest.parent_config, limit=5)]
    assert before == ["1f9-later-clock"]
    named: Any = {"configurable": {**CONFIG["configurable"], "checkpoint_id": "1f9-later-clock"}}
    found = await saver.aget_tuple(named)
    assert found is not None
    assert found.checkpoint["id"] == "1f9-later-clock"


async def test_namespaces_have_a_sequence_each(saver: FencedSaver) -> None:
    inner: Any = {"configurable": {"thread_id": "run-1", "checkpoint_ns": "lead:1"}}
    await saver.aput(inner, _checkpoint("9"), {}, {})
    await saver.aput(CONFIG, _checkpoint("5"), {}, {})
    await saver.aput(inner, _checkpoint("3"), {}, {})
    assert [(await saver.aget_tuple(of)).checkpoint["id"] for of in (inner, CONFIG)] == ["3", "5"]  # type: ignore[union-attr]


async def test_a_clock_that_stepped_back_between_two_processes_changes_nothing(
    store: SqlRunStore, lease: RunLease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoint ids are made from the wall clock; the stock saver would find the approval unanswered again."""
    async with open_checkpointer(store.database, lease) as saver:
        await _graph().compile(checkpointer=saver).ainvoke({"done": []}, CONFIG, durability="sync")
    lease = await _handed_over(store, lease)
    with monkeypatch.context() as clock:
        clock.setattr("langgraph.checkpoint.base.id._last_v6_timestamp", None)
        clock.setattr("langgraph.checkpoint.base.id.time.time_ns", lambda: 1_000_000_000_000_000_000)
        async with open_checkpointer(store.database, lease) as saver:
            graph = _graph().compile(checkpointer=saver, interrupt_before=["act"])
            await graph.ainvoke(Command(resume="yes"), CONFIG, durability="sync")
            answered = await saver.aget_tuple(CONFIG)
    ids = [item.checkpoint["id"] async for item in saver.alist(CONFIG)]
    assert ids != sorted(ids, reverse=True)
    async with open_checkpointer(store.database, await _handed_over(store, lease)) as saver:
        graph = _graph().compile(checkpointer=saver)
        found = await saver.aget_tuple(CONFIG)
        assert found == answered
        assert (await graph.aget_state(CONFIG)).next == ("act",)
        assert (await graph.ainvoke(None, CONFIG, durability="sync"))["done"] == ALL_DONE


async def test_a_holder_that_lost_the_run_writes_no_checkpoint(
    store: SqlRunStore, lease: RunLease, saver: FencedSaver
) -> None:
    kept: Any = await saver.aput(CONFIG, _checkpoint("c-1"), {}, {})
    await _handed_over(store, lease)
    with pytest.raises(LeaseLost, match=THERE):
        await saver.aput(kept, _checkpoint("c-2"), {}, {})
    with pytest.raises(LeaseLost):
        await saver.aput_writes(kept, [("done", ["late"])], "task")
    found = await saver.aget_tuple(CONFIG)
    assert found is not None
    assert (found.checkpoint["id"], found.pending_writes) == ("c-1", [])


async def test_a_graph_stops_at_its_first_write_once_the_run_was_taken(store: SqlRunStore, lease: RunLease) -> None:
    acted: list[str] = []

    async def slow(_: State) -> dict[str, list[str]]:
        await _handed_over(store, lease)
        return {"done": ["slow"]}

    async def after(_: State) -> dict[str, list[str]]:
        acted.append("after")
        return {}

    graph = StateGraph(State)
    graph.add_node("slow", slow)
    graph.add_node("after", after)
    graph.add_edge(START, "slow")
    graph.add_edge("slow", "after")
    async with open_checkpointer(store.database, lease) as saver:
        with pytest.raises(LeaseLost):
            await graph.compile(checkpointer=saver).ainvoke({"done": []}, CONFIG, durability="sync")
    assert acted == []


async def test_a_lease_writes_to_its_own_run_only(saver: FencedSaver) -> None:
    other: Any = {"configurable": {"thread_id": "run-2", "checkpoint_ns": ""}}
    with pytest.raises(LeaseLost, match="run-2"):
        await saver.aput(other, _checkpoint("c-1"), {}, {})
    assert await saver.aget_tuple(other) is None


async def test_writes_are_kept_once_and_interrupts_replaced(saver: FencedSaver) -> None:
    kept: Any = await saver.aput(CONFIG, _checkpoint("c-1"), {}, {})
    await saver.aput_writes(kept, [("done", 1), ("done", 2)], "t-b", "path-1")
    await saver.aput_writes(kept, [("done", 8), ("done", 9)], "t-b", "path-1")
    await saver.aput_writes(kept, [("done", 3)], "t-a", "path-2")
    for value in ("old", "new"):
        await saver.aput_writes(kept, [("__interrupt__", value)], "t-c")
    found = await saver.aget_tuple(CONFIG)
    assert found is not None
    assert found.pending_writes == [
        ("t-c", "__interrupt__", "new"), ("t-b", "done", 1), ("t-b", "done", 2), ("t-a", "done", 3),
    ]  # fmt: skip


async def test_metadata_can_be_asked_for(saver: FencedSaver) -> None:
    for n, version in enumerate(("star@1", "bus@1", "star@1")):
        await saver.aput({**CONFIG, "metadata": {"graph": version}}, _checkpoint(f"c-{n}"), {"step": n}, {})
    found = [item.checkpoint["id"] async for item in saver.alist(CONFIG, filter={"graph": "star@1"})]
    assert found == ["c-2", "c-0"]
    with pytest.raises(ValueError, match="Invalid filter key"):
        _ = [item async for item in saver.alist(CONFIG, filter={"x') OR 1=1 --": "a"})]


async def test_a_full_disk_stops_the_graph_with_the_path(store: SqlRunStore, saver: FencedSaver) -> None:
    await store.database.write(lambda t: t.plain("PRAGMA max_page_count = 30"))
    with pytest.raises(StoreError, match="the disk is full") as refused:
        await saver.aput(CONFIG, _checkpoint("c-1", text="x" * 200_000), {}, {})
    assert str(store.database.path) in refused.value.what
    assert await saver.aget_tuple(CONFIG) is None


def test_the_tables_hold_what_langgraph_keeps_in_its_own() -> None:
    """A column that a later LangGraph adds has to be added here too."""
    with SqliteSaver.from_conn_string(":memory:") as stock:
        stock.setup()
        for table in (checkpoints, writes):
            theirs = {row[1] for row in stock.conn.execute(f"PRAGMA table_info({table.name})")}
            assert theirs | {"seal", "seq"} == {column.name for column in table.columns} | {"seq"}
