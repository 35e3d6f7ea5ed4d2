"""What this machine needs for investigations, checked one by one, each with what to do where it is not right."""

import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from .. import __version__
from ..adapters.clock import SystemClock
from ..adapters.models.discover import choose
from ..adapters.store import open_store
from ..contracts.errors import LeadlineError
from ..graph.versions import VERSIONS, structure_hash
from ..runtime.settings import FILE, Settings
from ..runtime.team import load_team

_SPACE = 1 << 30
"""Bytes under which the disk is called nearly full."""


class Check(NamedTuple):
    name: str
    state: Literal["ok", "warn", "fail"]
    told: str
    fix: str = ""


async def examine(settings: Settings) -> tuple[Check, ...]:
    return (
        *_program(),
        await _store(settings),
        _space(settings.database),
        await _model(settings),
        _team(settings),
        _graphs(),
    )


def _program() -> Iterator[Check]:
    yield Check("leadline", "ok", f"{__version__}, Python {platform.python_version()} at {sys.prefix}")
    file = Path(FILE)
    told = str(file.resolve()) if file.is_file() else f"no {FILE} here; environment and defaults"
    yield Check("settings", "ok", told)


async def _store(settings: Settings) -> Check:
    try:
        async with open_store(settings.database, SystemClock(), synchronous=settings.synchronous) as store:
            await store.check()
            runs = await store.runs(limit=1000)
    except LeadlineError as fault:
        return _failed("store", fault)
    waiting = sum(run.state == "waiting" for run in runs)
    return Check("store", "ok", f"{settings.database}, sound, {len(runs)} runs, {waiting} waiting for a person")


def _space(database: Path) -> Check:
    folder = next(parent for parent in database.resolve().parents if parent.is_dir())
    free = shutil.disk_usage(folder).free
    told = f"{free / (1 << 30):.1f} GiB free at {folder}"
    return Check("disk", "ok", told) if free >= _SPACE else Check("disk", "warn", told, "make room, or use --database")


async def _model(settings: Settings) -> Check:
    try:
        choice = await choose(settings.model, settings.ollama_url)
    except LeadlineError as fault:
        return _failed("model", fault)
    told = f"{choice.model}: {choice.reason}"
    if choice.model != "rules":
        return Check("model", "ok", f"{told}, context of {settings.num_ctx:,} tokens")
    if settings.model == "rules":
        return Check("model", "ok", told)
    return Check("model", "warn", told, "nothing, if rules are enough; else: ollama serve, ollama pull qwen3:8b")


def _team(settings: Settings) -> Check:
    try:
        team = load_team(settings.team)
    except LeadlineError as fault:
        return _failed("team", fault)
    where = settings.team or "shipped"
    return Check("team", "ok", f"{team.name} {team.version} ({where}), {len(team.agents)} agents")


def _graphs() -> Check:
    told = ", ".join(f"{name} {structure_hash(name)[:12]}" for name in VERSIONS)
    return Check("graphs", "ok", told)


def _failed(name: str, fault: LeadlineError) -> Check:
    return Check(name, "fail", str(fault), fault.hint)
