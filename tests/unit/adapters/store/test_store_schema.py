"""How a database comes to be, and when it is refused."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import SqlRunStore, open_store, schema
from leadline.adapters.store.tables import HEAD, REVISIONS, metadata
from leadline.contracts.errors import StoreError

MIGRATIONS = Path(schema.__file__).parent / "migrations"


async def test_the_file_and_its_folder_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "share" / "leadline" / "leadline.db"
    async with open_store(path, SystemClock()) as store:
        await store.runs()
        made = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert made == dict.fromkeys(("leadline.db", "leadline.db-shm", "leadline.db-wal"), 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_every_connection_is_set_up(store: SqlRunStore) -> None:
    names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys", "trusted_schema")
    for ask in (store.database.read, store.database.write):
        found = await ask(lambda t: [t.plain(f"PRAGMA {name}")[0][0] for name in names])
        assert found == ["wal", 1, 300, 1, 0]


async def test_full_synchronous_is_a_setting(path: Path) -> None:
    async with open_store(path, SystemClock(), synchronous="FULL") as store:
        assert await store.database.write(lambda t: t.plain("PRAGMA synchronous")[0][0]) == 2


async def test_migrations_make_the_tables_that_the_queries_expect(store: SqlRunStore, path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert (await store.database.read(lambda t: t.plain("PRAGMA integrity_check")[0][0])) == "ok"


def test_the_known_revisions_are_the_ones_that_are_shipped() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [HEAD]
    assert [step.revision for step in script.walk_revisions()][::-1] == list(REVISIONS)


def test_an_up_to_date_database_is_opened_without_alembic(tmp_path: Path) -> None:
    path = tmp_path / "leadline.db"
    schema.ensure_schema(path, 5.0)
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from leadline.adapters.clock import SystemClock; from leadline.adapters.store import open_store\n"
        "async def main():\n"
        "    async with open_store(Path(sys.argv[1]), SystemClock()) as store: return await store.runs()\n"
        "assert asyncio.run(main()) == ()\n"
        "print([name for name in ('alembic', 'langgraph', 'langchain_core', 'aiosqlite') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


async def _open(path: Path) -> None:
    async with open_store(path, SystemClock()) as store:
        assert await store.runs() == ()


def test_a_newer_schema_is_refused(path: Path) -> None:
    schema.ensure_schema(path, 5.0)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer leadline") as refused:
        asyncio.run(_open(path))
    assert "9999" in refused.value.why
    assert "upgrade leadline" in refused.value.hint
    assert refused.value.exit_code == 74
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match="not made by leadline") as refused:
        asyncio.run(_open(path))
    assert "recipes" in refused.value.why
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    asyncio.run(_open(path))


def test_an_interrupted_creation_leaves_nothing_half_made(path: Path) -> None:
    """The whole schema is one transaction: kill its maker before the commit, and the next one starts afresh."""
    path.touch()
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("CREATE TABLE run (run_id TEXT)")
    schema.ensure_schema(path, 5.0)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
