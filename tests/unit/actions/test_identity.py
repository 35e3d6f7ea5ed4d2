"""What an action means, and what it is known by."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.contracts.action import ResourceRef
from leadline.contracts.base import RunId
from leadline.rules.actions.identity import command_id, fingerprint, idempotency_key, intent_id, is_itself
from tests.doubles.calls import call_for, spec_for

TILL = ResourceRef(environment="production", kind="service", name="till")
VALUES = st.dictionaries(
    st.text("abc", min_size=1), st.one_of(st.text(max_size=5), st.integers(), st.booleans()), max_size=4
)


@given(VALUES)
def test_the_order_of_arguments_means_nothing(arguments: dict[str, Any]) -> None:
    turned = dict(reversed(arguments.items()))
    assert fingerprint("scale", TILL, arguments) == fingerprint("scale", TILL, turned)


@given(VALUES, VALUES)
def test_other_arguments_mean_another_action(one: dict[str, Any], other: dict[str, Any]) -> None:
    same = fingerprint("scale", TILL, one) == fingerprint("scale", TILL, other)
    assert same == (repr(sorted(one.items())) == repr(sorted(other.items())))


@pytest.mark.parametrize(
    ("one", "other"),
    [({"replicas": 5}, {"replicas": 5.0}), ({"flag": "caf\u00e9"}, {"flag": "cafe\u0301"})],
    ids=["number", "spelling of one text"],
)
def test_one_meaning_has_one_fingerprint(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint("scale", TILL, one) == fingerprint("scale", TILL, other)


def test_kind_and_target_are_part_of_the_meaning() -> None:
    door = TILL.model_copy(update={"name": "door"})
    staging = TILL.model_copy(update={"environment": "staging"})
    prints = {fingerprint(k, t, {}) for k in ("scale", "restart") for t in (TILL, door, staging)}
    assert len(prints) == 6


def test_each_identifier_answers_its_own_question() -> None:
    run = RunId("run-1")
    intent = intent_id(run, "scale", TILL)
    ids = {
        run, intent, command_id(run, intent, 1), command_id(run, intent, 2), idempotency_key("t", run, intent, 1),
        idempotency_key("t", run, intent, 2), idempotency_key("u", run, intent, 1), intent_id(run, "scale", TILL, "undo"),
        intent_id(RunId("run-2"), "scale", TILL),
    }  # fmt: skip
    assert len(ids) == 9


@pytest.mark.parametrize(
    "change",
    [
        {"arguments": {"change": "c2", "replicas": 5}}, {"kind": "wipe"}, {"idempotency_key": "idk-0"},
        {"command_id": "cmd-0"}, {"revision": 2}, {"tenant": "other"}, {"run_id": RunId("run-2")},
        {"target": TILL.model_copy(update={"name": "door"})},
    ],
    ids=lambda c: next(iter(c)),
)  # fmt: skip
def test_a_command_that_was_changed_is_not_itself(change: dict[str, Any]) -> None:
    command = call_for(spec_for()).command.model_copy(
        update={"user": "someone", "deadline_at": call_for(spec_for()).command.created_at}
    )
    assert is_itself(command) == is_itself(call_for(spec_for()).command)
    assert not is_itself(command.model_copy(update=change))
