"""Log lines in recorded tool outputs, whatever way they carry their time."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from .holmesgpt_outputs import Output, subject

STAMPED = re.compile(r"^\[?(?P<ts>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?)(?P<zone>Z|[+-]\d{2}:?\d{2})?")
LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b", re.IGNORECASE)
PINO = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARN", 50: "ERROR", 60: "FATAL"}


class _Line(NamedTuple):
    ts: str
    """Empty where the line has none."""
    level: str


def logs(outputs: Sequence[Output]) -> Iterator[dict[str, Any]]:
    """Each line once however often it was fetched. An undated line takes the time of the line before it; where an
    output has no time at all, its lines are in the documents only.
    """
    seen: set[tuple[str, str]] = set()
    for output in outputs:
        is_log = "logs" in output.tool or "kubectl logs" in str(output.params.get("command", ""))
        if output.status != "ok" or not is_log:
            continue
        pod, ts = subject(output)[1], ""
        for line in output.body.splitlines():
            read = _read(line)
            ts = read.ts or ts
            if not ts or not line.strip() or (pod, line) in seen:
                continue
            seen.add((pod, line))
            yield {"ts": ts, "service": service_of(pod), "instance": pod, "severity": read.level, "body": line}


def service_of(pod: str) -> str:
    """A pod's name without the hashes that its controllers gave it."""
    return re.sub(r"(?:-[0-9a-f]{6,10})?-[a-z0-9]{5}$", "", pod)


def _read(line: str) -> _Line:
    if line.startswith("{"):
        return _structured(line)
    stamp, level = STAMPED.match(line), LEVEL.search(line)
    ts = f"{stamp['ts'].replace(',', '.')}{stamp['zone'] or 'Z'}" if stamp else ""
    return _Line(ts, level[1].upper() if level else "")


def _structured(line: str) -> _Line:
    try:
        entry = json.loads(line)
    except ValueError:
        return _Line("", "")
    at, level = entry.get("time") or entry.get("timestamp"), entry.get("level") or entry.get("severity") or ""
    if isinstance(at, (int, float)):
        at = datetime.fromtimestamp(at / 1000, tz=UTC).isoformat()
    return _Line(str(at or ""), PINO.get(level, "") if isinstance(level, int) else str(level).upper())
