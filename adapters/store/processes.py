"""Who holds a run: is that process still there?"""

import socket
from pathlib import Path


def process_token(holder: str) -> str:
    """What tells this process apart from a later one with the same number; empty where that cannot be known."""
    host, _, pid = holder.rpartition(":")
    if host != socket.gethostname() or not pid.isdecimal():
        return ""
    started = _started(int(pid))
    return f"{_here()} {started}" if started else ""


def is_dead(holder: str, token: str) -> bool:
    """True only where it is certain: same machine, same boot, same process namespace, and that process is gone."""
    host, _, pid = holder.rpartition(":")
    if not token or host != socket.gethostname() or not pid.isdecimal():
        return False
    here, _, started = token.rpartition(" ")
    return here == _here() and _started(int(pid)) != started


def _here() -> str:
    """This boot of this machine, and the namespace that process numbers belong to."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # no Linux: a dead holder's lease has to expire
        return ""


def _started(pid: int) -> str:
    """In clock ticks since boot; empty for a process that is gone or only waits to be reaped."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = status.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
