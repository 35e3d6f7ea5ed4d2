"""Queries that SQLAlchemy words once and the driver runs: a statement costs microseconds, not SQLAlchemy's forty."""

from collections import namedtuple
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.selectable import Select

Params = Mapping[str, Any]
_DIALECT = sqlite.dialect()


class database_now(FunctionElement[int]):  # noqa: N801  named as an SQL function
    """The database's own clock in microseconds: the one clock that all holders of a lease share."""

    type = BigInteger()
    inherit_cache = True


@compiles(database_now, "sqlite")
def _sqlite_now(_element: database_now, _compiler: SQLCompiler, **_: object) -> str:
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000000.0) AS INTEGER)"


@compiles(database_now, "postgresql")
def _postgres_now(_element: database_now, _compiler: SQLCompiler, **_: object) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"


class Statement:
    """One query; worded when it is first run. `columns` are those that an INSERT fills from its parameters."""

    def __init__(self, query: Executable, *columns: str) -> None:
        self._query = query
        self._columns = list(columns) or None

    @cached_property
    def _compiled(self) -> SQLCompiler:
        assert isinstance(self._query, ClauseElement)
        compiled = self._query.compile(dialect=_DIALECT, column_keys=self._columns)
        assert isinstance(compiled, SQLCompiler)
        return compiled

    @cached_property
    def text(self) -> str:
        return str(self._compiled)

    @cached_property
    def row(self) -> type[Any]:
        """What a row of a SELECT reads as: a tuple with the columns' names."""
        assert isinstance(self._query, Select)
        return namedtuple("Row", [str(column.key) for column in self._query.selected_columns])  # noqa: PYI024

    @cached_property
    def _order(self) -> list[str]:
        return [str(name) for name in self._compiled.positiontup or ()]

    @cached_property
    def _fixed(self) -> dict[str, Any]:
        """Values that stand in the query itself."""
        binds = self._compiled.binds
        return {name: value for name, value in self._compiled.params.items() if not binds[name].required}

    def bind(self, params: Params) -> tuple[Any, ...]:
        """Raise KeyError for a parameter that is not given."""
        if self._fixed:
            params = {**self._fixed, **params}
        return tuple([params[name] for name in self._order])

    def bind_all(self, rows: Iterable[Params]) -> list[tuple[Any, ...]]:
        return [self.bind(row) for row in rows]
