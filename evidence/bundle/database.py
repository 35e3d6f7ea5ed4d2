"""DuckDB over one bundle: locked to its folder, bounded in memory, equal answers on every machine."""

import os
from collections.abc import Iterable
from pathlib import Path

import duckdb

from .sql import MACROS, literal

MEMORY_LIMIT = "400MB"
"""Of DuckDB's own buffers; a 2 GB log is read within 1 GB of the whole process."""
MAX_THREADS = 4


def connect(temporary: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    for setting in (
        "SET TimeZone = 'UTC'",
        f"SET memory_limit = '{MEMORY_LIMIT}'",
        f"SET threads = {min(MAX_THREADS, os.cpu_count() or 1)}",
        f"SET temp_directory = {literal(str(temporary / 'spill'))}",
        "SET max_temp_directory_size = '8GB'",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET enable_progress_bar = false",
        "SET preserve_insertion_order = false",  # no answer depends on it, and keeping it costs memory
    ):
        connection.execute(setting)
    for macro in MACROS:
        connection.execute(macro)
    return connection


def lock(connection: duckdb.DuckDBPyConnection, folders: Iterable[Path]) -> None:
    """Nothing outside these folders can be read from here on, and no setting changed."""
    allowed = ", ".join(literal(f"{folder}/") for folder in folders)
    connection.execute(f"SET allowed_directories = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
