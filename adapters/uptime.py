"""The machine's own time: it goes on whatever the wall clock is set to, while the machine sleeps too."""

import time
from functools import cache
from pathlib import Path

from ..contracts.approval import UptimeMark

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@cache
def _boot() -> str:
    try:
        return BOOT_ID.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


class SystemUptime:
    """Implements `Uptime`; a system that names no start gives no mark, and the wall clock counts alone."""

    def mark(self) -> UptimeMark | None:
        if not _boot() or not hasattr(time, "CLOCK_BOOTTIME"):
            return None
        return UptimeMark(boot=_boot(), seconds=time.clock_gettime(time.CLOCK_BOOTTIME))
