"""A log file larger than memory: how much memory and time do opening it and two questions take?

    python benchmarks/big_log.py --gigabytes 2 [--format jsonl|text] [--keep FOLDER]

The file is made of ten million lines like those of a busy shop, with one fatal line and a new error near the end. The
questions run in a process of their own; its peak memory is what `getrusage` says.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INCIDENT = """schema: 1
id: big-log
title: checkout fails
alerts: [{service: checkout, fired_at: 2026-03-14T05:30:00Z}]
"""
SERVICES = ("checkout", "cart", "payments", "search", "web")
START = 1_773_453_600  # 2026-03-14T02:00:00Z
HOURS = 4


def line(n: int, of: int) -> dict[str, object]:
    at = START + n * HOURS * 3600 / of
    service = SERVICES[n % 5]
    late = n > of * 0.875
    if n == int(of * 0.9):
        return {"ts": at, "service": "payments", "level": "FATAL", "msg": "disk full: could not write WAL segment 00A7"}
    if late and n % 50 == 0:
        said = f"payment {n:x} refused by 10.0.{n % 256}.7 after {n % 900} ms"
        return {"ts": at, "service": "checkout", "level": "ERROR", "msg": said}
    said = f"GET /{service}/items/{n % 99991} served 200 in {n * 7 % 350} ms for user-{n * 31 % 500000} shard {n % 64}"
    return {"ts": at, "service": service, "level": "INFO", "trace_id": f"{n * 2654435761 % 2**64:016x}", "msg": said}


def make(folder: Path, gigabytes: float, kind: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "incident.yaml").write_text(INCIDENT)
    target = folder / ("logs.jsonl" if kind == "jsonl" else "logs.log")
    write = json.dumps if kind == "jsonl" else as_text
    size = sum(len(write(line(n, 1000))) + 1 for n in range(1000)) / 1000
    lines = int(gigabytes * 1e9 / size)
    with target.open("w") as out:
        for low in range(0, lines, 20_000):
            out.write("".join(f"{write(line(n, lines))}\n" for n in range(low, min(low + 20_000, lines))))
    return target


def as_text(row: dict[str, object]) -> str:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(float(str(row["ts"]))))
    return f"{moment} {row['service']} {row['level']} {row['msg']}"


def measure(folder: Path) -> dict[str, object]:
    """Run in a fresh process."""
    from leadline.contracts.evidence import ProbeCall  # noqa: PLC0415  # what it costs is part of the measure
    from leadline.evidence import open_bundle  # noqa: PLC0415

    started = time.perf_counter()
    bundle = open_bundle(folder)
    found: dict[str, object] = {"open_s": round(time.perf_counter() - started, 1)}
    for probe in ("log_error_rate", "log_templates"):
        asked = time.perf_counter()
        answer = asyncio.run(bundle.ask(ProbeCall(probe=probe)))
        found[f"{probe}_s"] = round(time.perf_counter() - asked, 1)
        found[probe] = [answer.status, answer.rows_read, *[f"{f.relation} {f.object}"[:60] for f in answer.facts[:3]]]
    bundle.close()
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--format", choices=["jsonl", "text"], default="jsonl")
    parser.add_argument("--keep", type=Path, help="folder to keep and use again")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if not (folder / "incident.yaml").exists():
            make(folder, options.gigabytes, options.format)
        size = sum(path.stat().st_size for path in folder.iterdir())
        child = [sys.executable, str(Path(__file__).resolve()), "--measure", str(folder)]
        shown = subprocess.run(child, check=True, capture_output=True, text=True).stdout
    print(json.dumps({"gigabytes": round(size / 1e9, 2), **json.loads(shown)}, indent=1))


if __name__ == "__main__":
    main()
