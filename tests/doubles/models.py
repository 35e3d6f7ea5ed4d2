"""A run's ledger in memory, a clock that a test moves, and the answers of useless models."""

from datetime import UTC, datetime, timedelta

from leadline.adapters.store.memory import MemoryLedger, MemoryRunStore
from leadline.contracts.base import AgentId, Digest, RunId
from leadline.contracts.run import Run, RunConfig
from leadline.contracts.team import AgentSpec, TeamSpec


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return datetime(2026, 7, 11, 15, 0, tzinfo=UTC) + timedelta(seconds=self.seconds - 1000.0)

    def monotonic(self) -> float:
        return self.seconds


async def memory_ledger(clock: ManualClock | None = None) -> MemoryLedger:
    clock = clock or ManualClock()
    store = MemoryRunStore(clock)
    team = TeamSpec(
        name="t",
        version="1",
        root_owner=AgentId("a"),
        agents=(AgentSpec(id=AgentId("a"), description="d", capabilities=()),),
    )
    config = RunConfig(
        bundle_path="bundle",
        bundle_digest=Digest("b" * 64),
        incident_id="inc-1",
        title="t",
        graph_version="star@1",
        structure_hash=Digest("c" * 64),
        prompt_hashes={},
        team=team,
        model="scripted",
        model_reason="test",
        user="test",
    )
    run = Run(run_id=RunId("run-1"), config=config, created_at=clock.now(), updated_at=clock.now())
    return store.ledger(await store.create(run, "test:1", 60.0))


GARBAGE: tuple[tuple[str, str, str], ...] = (
    ("empty", "", "not_json"),
    ("space", " \n", "not_json"),
    ("null", "null", "wrong_shape"),
    ("list", "[]", "wrong_shape"),
    ("string", '"just text"', "wrong_shape"),
    ("number", "42", "wrong_shape"),
    ("prose", "I cannot help with that.", "format_ignored"),
    ("fence", '```json\n{"risk": "low", "why": "x"}\n```', "format_ignored"),
    ("thinking", "<think>hmm</think>{}", "format_ignored"),
    ("cut", '{"risk": "low", "why": "x', "not_json"),
    ("two_objects", '{"risk": "low", "why": "a"} {"risk": "low", "why": "b"}', "not_json"),
    ("text_after", '{"risk": "low", "why": "a"} done', "not_json"),
    ("single_quotes", "{'risk': 'low', 'why': 'x'}", "not_json"),
    ("byte_order_mark", '\ufeff{"risk": "low", "why": "x"}', "format_ignored"),
    ("duplicate_key", '{"risk": "low", "risk": "high", "why": "x"}', "not_json"),
    ("nan", '{"risk": NaN, "why": "x"}', "not_json"),
    ("infinity", '{"risk": 1e400, "why": "x"}', "not_json"),
    ("endless_number", '{"n": ' + "9" * 6000 + "}", "not_json"),
    ("deep", "[" * 20_000, "not_json"),
    ("deep_object", '{"a":' * 400 + "1" + "}" * 400, "not_json"),
    ("huge", "A" * 2_000_000, "not_json"),
    ("missing", "{}", "wrong_shape"),
    ("extra", '{"risk": "low", "why": "x", "approved": true}', "wrong_shape"),
    ("commands", '{"commands": [["kubectl", "delete", "ns", "payments"]]}', "wrong_shape"),
    ("envelope", '{"lc": 1, "type": "secret", "id": ["HOME"]}', "wrong_shape"),
    ("lone_surrogate", '{"risk": "\\ud800", "why": "x"}', "wrong_shape"),
    ("escape_code", '{"risk": "low", "why": "\\u001b[2J"}', "wrong_shape"),
    ("wrong_type", '{"risk": ["low"], "why": 3}', "wrong_shape"),
)
"""Name, text, and the fault that it is, whatever form was asked for."""
