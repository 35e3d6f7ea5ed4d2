"""Queries are worded once, and never run with a parameter missing."""

import time
from datetime import UTC, datetime

import pytest
from sqlalchemy import bindparam, insert, select
from sqlalchemy.dialects import postgresql

from leadline.adapters.store import SqlRunStore
from leadline.adapters.store.statements import Statement, database_now
from leadline.adapters.store.tables import step

ONE = Statement(
    select(step.c.body, step.c.digest).where(step.c.run_id == bindparam("run"), step.c.step == "s").limit(3)
)


def test_values_of_the_query_and_of_the_call_come_in_its_order() -> None:
    assert ONE.text.count("?") == len(ONE.bind({"run": "run-1"}))
    assert ONE.bind({"run": "run-1"})[:3] == ("run-1", "s", 3)
    assert ONE.row._fields == ("body", "digest")


def test_a_missing_parameter_is_an_error() -> None:
    with pytest.raises(KeyError, match="run"):
        ONE.bind({"step": "s"})
    with pytest.raises(KeyError, match="body"):
        Statement(insert(step), "run_id", "step", "body").bind({"run_id": "run-1", "step": "s"})


async def test_the_databases_clock_is_the_time_in_microseconds(store: SqlRunStore) -> None:
    asked = Statement(select(database_now().label("now")))
    row = await store.database.read(lambda transaction: transaction.one(asked, {}))
    assert abs(row.now / 1e6 - time.time()) < 5
    assert datetime.fromtimestamp(row.now / 1e6, UTC).year >= 2026


def test_the_clock_can_be_asked_of_postgres_too() -> None:
    assert "clock_timestamp()" in str(select(database_now()).compile(dialect=postgresql.dialect()))
