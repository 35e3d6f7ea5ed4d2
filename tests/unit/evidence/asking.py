"""Asking in tests, and their clock: minutes after 02:00."""

from datetime import UTC, datetime, timedelta
from typing import Any

from leadline.contracts.evidence import Answer, ProbeCall
from leadline.evidence import OpenedBundle

START = datetime(2026, 3, 14, 2, 0, tzinfo=UTC)


async def ask(bundle: OpenedBundle, probe: str, **params: Any) -> Answer:
    return await bundle.ask(ProbeCall(probe=probe, params=params))


def at(minute: float) -> datetime:
    return START + timedelta(minutes=minute)


def minutes(minute: float) -> str:
    return at(minute).isoformat().replace("+00:00", "Z")
