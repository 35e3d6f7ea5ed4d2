"""The bundle's tables as importers write them: fixed columns, Parquet, the same bytes for the same input."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self

import duckdb

COLUMNS: Final[dict[str, dict[str, str]]] = {
    "metrics": {
        "ts": "TIMESTAMPTZ", "service": "VARCHAR", "instance": "VARCHAR", "metric": "VARCHAR", "value": "DOUBLE",
        "unit": "VARCHAR",
    },
    "logs": {
        "ts": "TIMESTAMPTZ", "service": "VARCHAR", "instance": "VARCHAR", "severity": "VARCHAR", "body": "VARCHAR",
        "trace_id": "VARCHAR", "span_id": "VARCHAR",
    },
    "traces": {
        "trace_id": "VARCHAR", "span_id": "VARCHAR", "parent_id": "VARCHAR", "service": "VARCHAR",
        "instance": "VARCHAR", "name": "VARCHAR", "start": "TIMESTAMPTZ", "duration_ms": "DOUBLE", "status": "VARCHAR",
    },
    "changes": {
        "ts": "TIMESTAMPTZ", "kind": "VARCHAR", "service": "VARCHAR", "ref": "VARCHAR", "title": "VARCHAR",
        "diff": "VARCHAR", "actor": "VARCHAR",
    },
    "topology": {"caller": "VARCHAR", "callee": "VARCHAR", "kind": "VARCHAR", "weight": "DOUBLE"},
    "resources": {
        "ts": "TIMESTAMPTZ", "kind": "VARCHAR", "namespace": "VARCHAR", "name": "VARCHAR", "status": "VARCHAR",
        "body": "VARCHAR",
    },
}  # fmt: skip
"""Columns of DESIGN.md section 8 that importers fill; further ones are attributes."""


class TableWriter:
    """Writes one bundle's tables. Rows are sorted, so that no order of the source tells anything."""

    def __init__(self, bundle: Path) -> None:
        self._bundle = bundle
        self._db = duckdb.connect()
        self._db.execute("SET threads=1; SET TimeZone='UTC'")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def rows(self, source: str, rows: Iterable[Mapping[str, Any]], *, name: str = "") -> int:
        """Rows by column name; unknown columns are kept as text attributes. Writes nothing where there are none."""
        with tempfile.TemporaryDirectory() as folder:
            staged = Path(folder) / "rows.jsonl"
            extra: dict[str, str] = {}
            encode = json.JSONEncoder(ensure_ascii=False).encode
            with staged.open("w", encoding="utf-8") as out:
                for row in rows:
                    extra.update(dict.fromkeys((key for key in row if key not in COLUMNS[source]), "VARCHAR"))
                    out.write(encode(row) + "\n")
            columns = COLUMNS[source] | dict(sorted(extra.items()))
            shape = ", ".join(f"{_text(key)}: {_text(kind)}" for key, kind in columns.items())
            return self.query(
                source,
                f"SELECT * FROM read_json({_text(str(staged))}, format='newline_delimited', columns={{{shape}}},"  # noqa: S608 - our own file and columns
                " maximum_object_size=268435456)",
                name=name,
            )

    def query(self, source: str, sql: str, *, name: str = "") -> int:
        """The rows of `sql`, which must give columns by the table's names; returns how many there were."""
        target = self._bundle / source / f"{name}.parquet" if name else self._bundle / f"{source}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        self._db.execute(f"CREATE OR REPLACE TEMP TABLE staged AS {sql}")
        count = int(self._db.execute("SELECT count(*) FROM staged").fetchall()[0][0])
        if count:
            self._db.execute(
                f"COPY (SELECT * FROM staged ORDER BY ALL) TO {_text(str(target))}"  # noqa: S608 - our own path
                " (FORMAT parquet, COMPRESSION zstd)"
            )
        return count

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        return self._db.execute(sql).fetchall()


def _text(value: str) -> str:
    """A string as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
