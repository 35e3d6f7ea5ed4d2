"""Times and spans as people read them: UTC with its zone, never the reader's own."""

from datetime import UTC, datetime


def utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def clock_time(at: datetime) -> str:
    """Time of day alone, for lists that name the day and the zone once."""
    return f"{at.astimezone(UTC):%H:%M:%S}"


def day(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def between(start: datetime, end: datetime) -> str:
    """`2026-07-11 12:00:00 to 14:10:00 UTC`; the day is named twice only where it changes."""
    last = clock_time(end) if day(start) == day(end) else f"{day(end)} {clock_time(end)}"
    return f"{day(start)} {clock_time(start)} to {last} UTC"


def span(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`, `3 d 4 h`: two units at most."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"
    if whole < 86_400:
        hours, minutes = divmod(whole // 60, 60)
        return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"
    days, hours = divmod(whole // 3600, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def offset(at: datetime, zero: datetime) -> str:
    """How long before or after `zero`: `-3 min 10 s`, `+12 s`, `0 s`."""
    seconds = (at - zero).total_seconds()
    if abs(seconds) < 0.05:
        return "0 s"
    return ("+" if seconds > 0 else "-") + span(abs(seconds))
