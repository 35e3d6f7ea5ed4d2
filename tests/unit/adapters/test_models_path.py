"""The path of a question: repair, checks, budgets, records; the model is a script."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.adapters.models.breaker import Breaker
from leadline.adapters.models.chat import Call, Profile, Reply
from leadline.adapters.models.proposer import ANSWER_TOKENS, ModelProposer
from leadline.adapters.models.scripted import Script, ScriptedProposer
from leadline.adapters.store.memory import MemoryLedger
from leadline.contracts.errors import CorruptStore, ModelError
from leadline.contracts.ports import Proposed, Writes
from leadline.contracts.proposal import FORMS, FindingsProposal, TriageProposal
from leadline.contracts.proposal_record import ProposalRecord
from leadline.contracts.task import Budget
from leadline.prompts.questions import FindingsPrompt
from tests.doubles.models import ManualClock, memory_ledger
from tests.doubles.questions import BASELINES, USEFUL, ask, observation

HIGH = TriageProposal(risk="high", why="users see errors")
RULES = BASELINES[TriageProposal]


class WireScript:
    """A `Chat` whose replies a test writes out whole."""

    name = "ollama:test"

    def __init__(self, reply: Callable[[Call], Reply], num_ctx: int = 8192, profile: Profile | None = None) -> None:
        self.reply, self.num_ctx, self.profile = reply, num_ctx, profile or Profile()
        self.calls: list[Call] = []

    async def prepare(self) -> Profile:
        return self.profile

    async def complete(self, call: Call) -> Reply:
        self.calls.append(call)
        await asyncio.sleep(0)
        return self.reply(call)

    async def close(self) -> None:
        """Nothing is held open."""


def good(**changes: Any) -> Reply:
    return Reply(**{"text": HIGH.model_dump_json(), "done_reason": "stop", "prompt_tokens": None, "answer_tokens": 20, **changes})  # fmt: skip


async def on_wire(chat: WireScript, budget: Budget | None = None, **more: Any) -> tuple[ModelProposer, MemoryLedger]:
    ledger = await memory_ledger()
    clock = more.pop("clock", None) or ManualClock()
    return ModelProposer(chat, ledger=ledger, clock=clock, budget=budget or Budget(tokens=10**6), **more), ledger


async def scripted(script: Script, **more: Any) -> tuple[ScriptedProposer, MemoryLedger]:
    ledger = await memory_ledger()
    return ScriptedProposer(script, ledger=ledger, clock=ManualClock(), **more), ledger


async def record_of(ledger: MemoryLedger, ask_id: str = "ask-TriageProposal") -> ProposalRecord:
    record = await ledger.get(ProposalRecord, ask_id)
    assert record is not None
    return record


def test_every_form_has_room_for_its_answer() -> None:
    assert set(ANSWER_TOKENS) == {form.__name__ for form in FORMS}


async def test_a_refused_answer_is_repaired_once() -> None:
    chat = WireScript(lambda call: good(text='{"risk": "severe"}') if len(call.messages) == 2 else good())
    proposer, ledger = await on_wire(chat)
    proposed = await proposer.propose(ask(TriageProposal))
    assert (proposed.value, proposed.origin, proposed.degraded) == (HIGH, "model", "")
    first, repair = chat.calls
    assert [m.role for m in repair.messages] == ["system", "user", "assistant", "user"]
    assert repair.messages[:2] == first.messages
    assert repair.messages[2].text == '{"risk": "severe"}'
    assert "risk: Input should be 'low', 'medium' or 'high'; why: Field required" in repair.messages[3].text
    assert (await record_of(ledger)).attempts == 2


async def test_a_second_refusal_ends_it() -> None:
    chat = WireScript(lambda call: good(text="{}"))
    proposer, ledger = await on_wire(chat)
    proposed = await proposer.propose(ask(TriageProposal))
    assert (proposed.value, proposed.origin) == (RULES, "rules")
    assert proposed.degraded.startswith("wrong_shape: the answer does not fit the form: ")
    assert len(chat.calls) == 2
    assert len((await record_of(ledger)).replies) == 2


@pytest.mark.parametrize(("reason", "says"), [("length", "ended with 'length'"), (None, "broke off")])
async def test_an_answer_that_does_not_end_by_itself_is_none(reason: str | None, says: str) -> None:
    chat = WireScript(lambda call: good(done_reason=reason))
    proposer, _ = await on_wire(chat)
    proposed = await proposer.propose(ask(TriageProposal))
    assert proposed.value == RULES
    assert proposed.degraded.startswith("incomplete: ")
    assert says in proposed.degraded
    assert len(chat.calls) == 1


async def test_a_cut_prompt_is_no_answer_however_good_it_looks() -> None:
    chat = WireScript(lambda call: good(prompt_tokens=2050), num_ctx=4096)
    proposer, ledger = await on_wire(chat)
    proposed = await proposer.propose(ask(TriageProposal))
    assert proposed.value == RULES
    assert proposed.degraded.startswith("cut_prompt: the prompt was cut: the server read 2050 tokens")
    assert (await record_of(ledger)).tokens_in == 2050


async def test_a_count_lowered_by_the_prefix_cache_is_no_cut() -> None:
    def cached(call: Call) -> Reply:
        return good(prompt_tokens=None if len(chat.calls) == 1 else 30)

    chat = WireScript(cached)
    proposer, ledger = await on_wire(chat)
    await proposer.propose(ask(TriageProposal, "first"))
    again = await proposer.propose(ask(TriageProposal, "second"))
    assert (again.value, again.degraded) == (HIGH, "")
    record = await record_of(ledger, "second")
    assert record.shared_prefix_chars == record.prompt_chars
    assert record.tokens_in == 30


async def test_the_same_low_count_without_a_shared_beginning_is_a_cut() -> None:
    proposer, _ = await on_wire(WireScript(lambda call: good(prompt_tokens=30)))
    assert (await proposer.propose(ask(TriageProposal))).degraded.startswith("cut_prompt: ")


async def test_a_prompt_that_does_not_fit_is_not_sent() -> None:
    chat = WireScript(lambda call: good(), num_ctx=1024)
    proposer, ledger = await on_wire(chat)
    question = ask(FindingsProposal, observations=tuple(observation(i, 40) for i in range(9)))
    assert isinstance(question.prompt, FindingsPrompt)
    proposed = await proposer.propose(question)
    assert proposed.degraded.startswith("too_long: the prompt is too long: about ")
    assert "do not fit into 1024" in proposed.degraded
    assert chat.calls == []
    assert (await record_of(ledger, question.ask_id)).attempts == 0


async def test_a_calibrated_ratio_moves_the_estimate() -> None:
    estimates = []
    for ratio in (2.0, 4.0):
        proposer, ledger = await on_wire(WireScript(lambda call: good(), profile=Profile(bytes_per_token=ratio)))
        await proposer.propose(ask(TriageProposal))
        estimates.append((await record_of(ledger)).estimate - 24)
    assert estimates[0] == pytest.approx(2 * estimates[1], abs=1)


async def test_thoughts_that_cannot_be_switched_off_get_room() -> None:
    chat = WireScript(lambda call: good(), profile=Profile(thinks=True, reasoning=None))
    proposer, _ = await on_wire(chat)
    await proposer.propose(ask(TriageProposal))
    assert chat.calls[0].answer_tokens == 3 * ANSWER_TOKENS["TriageProposal"]


async def test_tokens_are_checked_before_they_are_spent() -> None:
    chat = WireScript(lambda call: good(prompt_tokens=700))
    proposer, _ = await on_wire(chat, Budget(tokens=2000))
    answers = [await proposer.propose(ask(TriageProposal, f"a{i}")) for i in range(4)]
    assert [a.degraded.split(":")[0] for a in answers] == ["", "", "budget", "budget"]
    assert len(chat.calls) == 2
    assert "1440 of 2000 tokens are spent" in answers[2].degraded


async def test_questions_at_once_do_not_overspend_together() -> None:
    chat = WireScript(lambda call: good(prompt_tokens=700))
    proposer, _ = await on_wire(chat, Budget(tokens=2000))
    answers = await asyncio.gather(*(proposer.propose(ask(TriageProposal, f"a{i}")) for i in range(8)))
    assert len(chat.calls) == 2
    assert sum(a.origin == "model" for a in answers) == 2


async def test_calls_and_seconds_are_budgets_too() -> None:
    clock = ManualClock()
    chat = WireScript(lambda call: good())
    proposer, _ = await on_wire(chat, Budget(tokens=10**6, seconds=60), clock=clock, max_calls=1, call_seconds=100)
    assert (await proposer.propose(ask(TriageProposal, "a"))).origin == "model"
    assert chat.calls[0].seconds == 60
    assert "all 1 model calls are spent" in (await proposer.propose(ask(TriageProposal, "b"))).degraded
    clock.seconds += 61
    proposer, _ = await on_wire(chat, Budget(tokens=10**6, seconds=60), clock=clock)
    clock.seconds += 61
    assert (await proposer.propose(ask(TriageProposal, "c"))).degraded == "budget: the run's 60 seconds are over"


async def test_a_repair_that_is_not_covered_leaves_the_first_fault_standing() -> None:
    chat = WireScript(lambda call: good(text="{}"))
    proposer, _ = await on_wire(chat, max_calls=1)
    assert (await proposer.propose(ask(TriageProposal))).degraded.startswith("wrong_shape: ")
    assert len(chat.calls) == 1


async def test_calls_at_once_wait_for_each_other() -> None:
    chat = WireScript(lambda call: good())
    proposer, _ = await on_wire(chat, call_seconds=10)
    await asyncio.gather(*(proposer.propose(ask(TriageProposal, f"a{i}")) for i in range(3)))
    assert sorted(call.seconds for call in chat.calls) == [10, 20, 30]


async def test_a_server_that_fails_is_left_alone_for_a_while() -> None:
    clock = ManualClock()
    down = True

    def reply(_: Call) -> Reply:
        if down:
            raise ModelError("no connection to http://x", kind="down", why="refused")
        return good()

    chat = WireScript(reply)
    proposer, _ = await on_wire(chat, clock=clock, breaker=Breaker(threshold=3, cooldown=30))
    answers = [await proposer.propose(ask(TriageProposal, f"a{i}")) for i in range(6)]
    assert {a.degraded.split(":")[0] for a in answers} == {"down"}
    assert len(chat.calls) == 3
    assert "was not asked: 3 questions in a row failed, the last: no connection" in answers[5].degraded
    clock.seconds += 31
    await proposer.propose(ask(TriageProposal, "b"))
    await proposer.propose(ask(TriageProposal, "c"))
    assert len(chat.calls) == 4
    clock.seconds += 31
    down = False
    assert [(await proposer.propose(ask(TriageProposal, f"d{i}"))).origin for i in range(3)] == ["model"] * 3


async def test_a_model_that_never_keeps_to_a_form_is_left_alone_too() -> None:
    chat = WireScript(lambda call: good(text="Let me think about this."))
    proposer, _ = await on_wire(chat)
    answers = [await proposer.propose(ask(TriageProposal, f"a{i}")) for i in range(6)]
    assert {a.degraded.split(":")[0] for a in answers} == {"format_ignored"}
    assert len(chat.calls) == 6


async def test_wrongly_filled_forms_do_not_stop_the_asking() -> None:
    chat = WireScript(lambda call: good(text="{}"))
    proposer, _ = await on_wire(chat)
    for i in range(5):
        await proposer.propose(ask(TriageProposal, f"a{i}"))
    assert len(chat.calls) == 10


@pytest.mark.parametrize("kind", ["down", "timeout", "model_missing", "server_error"])
async def test_a_fault_of_any_kind_is_recorded_with_its_event(kind: str) -> None:
    proposer, ledger = await scripted({TriageProposal: ModelError("it failed", kind=kind, why="because")})
    proposed = await proposer.propose(ask(TriageProposal))
    assert (proposed.value, proposed.origin, proposed.degraded) == (RULES, "rules", f"{kind}: it failed: because")
    record = await record_of(ledger)
    assert (record.degraded, record.origin, record.attempts) == (kind, "rules", 1)
    (event,) = await ledger.events()
    assert (event.kind, event.subject, event.by, event.reason) == (
        "proposal.degraded", "ask-TriageProposal", "metrics", f"{kind}: it failed: because",
    )  # fmt: skip


async def test_an_answer_is_recorded_with_what_was_asked() -> None:
    proposer, ledger = await scripted({TriageProposal: HIGH})
    question = ask(TriageProposal)
    await proposer.propose(question)
    record = await record_of(ledger)
    prompt = question.prompt.render()
    assert [await ledger.artifact(d) for d in (record.system, record.shared, record.task)] == [
        part.encode() for part in prompt
    ]
    assert [await ledger.artifact(d) for d in record.replies] == [HIGH.model_dump_json().encode()]
    assert (record.template, record.form, record.node, record.model) == ("triage", "TriageProposal", "test", "scripted")
    assert record.answer == {"risk": "high", "why": "users see errors"}
    assert record.prompt_chars == len("".join(prompt)) + 1
    (event,) = await ledger.events()
    assert (event.kind, event.data["attempts"]) == ("proposal.made", 1)


async def test_no_prompt_text_stands_in_records_or_events() -> None:
    proposer, ledger = await scripted({})
    await proposer.propose(ask(TriageProposal, title="needle-in-the-prompt"))
    stored = [r.model_dump_json() for r in await ledger.all(ProposalRecord)] + [
        e.model_dump_json() for e in await ledger.events()
    ]
    assert not any("needle" in text for text in stored)


async def test_usage_is_the_sum_of_the_records() -> None:
    proposer, ledger = await scripted({TriageProposal: ["{}", HIGH]})
    await proposer.propose(ask(TriageProposal))
    await proposer.propose(ask(FindingsProposal))
    records = await ledger.all(ProposalRecord)
    usage = proposer.usage()
    assert usage.model_calls == sum(r.attempts for r in records) == 3
    assert usage.tokens_in == sum(r.tokens_in for r in records) > 0
    assert usage.tokens_out == sum(r.tokens_out for r in records) > 0
    assert usage.prompt_chars == sum(r.prompt_chars for r in records) > 0
    assert usage.shared_chars == sum(r.shared_prefix_chars for r in records) > 0


async def test_what_an_earlier_process_spent_counts() -> None:
    chat = WireScript(lambda call: good(prompt_tokens=700))
    proposer, ledger = await on_wire(chat, Budget(tokens=2000))
    await proposer.propose(ask(TriageProposal, "a"))
    later = ModelProposer(chat, ledger=ledger, clock=ManualClock(), budget=Budget(tokens=2000))
    await later.propose(ask(TriageProposal, "b"))
    assert (await later.propose(ask(TriageProposal, "c"))).degraded.startswith("budget: ")
    assert later.usage().model_calls == 2


async def test_a_later_process_knows_what_the_prefix_cache_may_hold() -> None:
    ledger = await memory_ledger()
    first, second = (ScriptedProposer({TriageProposal: HIGH}, ledger=ledger, clock=ManualClock()) for _ in range(2))
    await first.propose(ask(TriageProposal))
    await second.propose(ask(TriageProposal, ask_id="ask-next"))
    assert second.usage().shared_chars == second.usage().prompt_chars / 2


async def test_those_who_ask_at_once_all_know_what_was_asked_before() -> None:
    ledger = await memory_ledger()
    before = ScriptedProposer({TriageProposal: HIGH}, ledger=ledger, clock=ManualClock())
    await asyncio.gather(*(before.propose(ask(TriageProposal, f"ask-{n}")) for n in range(4)))
    later = ScriptedProposer({TriageProposal: RULES}, ledger=ledger, clock=ManualClock())
    told = await asyncio.gather(*(later.propose(ask(TriageProposal, f"ask-{n}")) for n in range(4)))
    assert [t.value for t in told] == [HIGH] * 4
    assert later.usage() == before.usage()


async def test_a_degraded_question_stays_so_for_its_run() -> None:
    proposer, ledger = await scripted({TriageProposal: ["nonsense", "nonsense", HIGH]})
    first = await proposer.propose(ask(TriageProposal))
    later = ScriptedProposer({TriageProposal: HIGH}, ledger=ledger, clock=ManualClock())
    assert await later.propose(ask(TriageProposal)) == first


async def test_a_record_that_is_not_the_form_stops_the_run() -> None:
    proposer, ledger = await scripted({TriageProposal: HIGH})
    await proposer.propose(ask(TriageProposal))
    record = (await record_of(ledger)).model_copy(update={"answer": {"risk": "none"}})
    await ledger.commit(Writes(records=(record,)))
    later = ScriptedProposer({}, ledger=ledger, clock=ManualClock())
    with pytest.raises(CorruptStore, match="is no TriageProposal"):
        await later.propose(ask(TriageProposal))


async def test_a_cancelled_question_leaves_no_record_and_no_reservation() -> None:
    never = asyncio.Event()

    class Waiting(WireScript):
        async def complete(self, call: Call) -> Reply:
            await never.wait()
            return good()

    proposer, ledger = await on_wire(Waiting(lambda call: good()), Budget(tokens=1500))
    asking = asyncio.create_task(proposer.propose(ask(TriageProposal)))
    await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await ledger.all(ProposalRecord) == ()
    never.set()
    assert (await proposer.propose(ask(TriageProposal))).value == HIGH


async def test_a_script_answers_in_order_and_stays_at_its_last() -> None:
    low = TriageProposal(risk="low", why="")
    proposer, _ = await scripted({TriageProposal: [low, HIGH]})
    answers = [(await proposer.propose(ask(TriageProposal, f"a{i}"))).value for i in range(3)]
    assert answers == [low, HIGH, HIGH]


async def test_a_form_that_the_script_does_not_name_gets_the_rules_answer_as_a_model_would_give_it() -> None:
    proposer, _ = await scripted({})
    proposed = await proposer.propose(ask(FindingsProposal))
    assert (proposed.value, proposed.origin) == (BASELINES[FindingsProposal], "model")


async def test_a_script_can_look_at_the_question() -> None:
    proposer, _ = await scripted(lambda question: question.form(**USEFUL[question.form]))
    assert (await proposer.propose(ask(FindingsProposal))).value == FindingsProposal(**USEFUL[FindingsProposal])


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("low"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["risk", "why", "tasks", "x"]), inner),
    max_leaves=8,
)


@given(st.text(max_size=200) | JSON_LIKE.map(json.dumps))
@settings(max_examples=150, deadline=None)
def test_whatever_a_model_says_the_value_is_a_form(text: str) -> None:
    async def propose() -> Proposed[TriageProposal]:
        proposer, _ = await scripted(lambda _: text)
        return await proposer.propose(ask(TriageProposal))

    proposed = asyncio.run(propose())
    assert isinstance(proposed.value, TriageProposal)
    assert (proposed.origin == "rules") == bool(proposed.degraded)
    assert proposed.origin == "model" or proposed.value == RULES
