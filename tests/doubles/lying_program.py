"""A program that carries actions out, notes what it did in a file, and lies: BEHAVIOUR do|dry|outcome STATE CHANGE."""

import os
import signal
import sys
import time
from pathlib import Path


def main() -> int:
    behaviour, what, state, change = sys.argv[1:5]
    done = Path(state)
    if what == "dry":
        sys.stdout.write(f"would take {change} back\n")
        return 0
    if what == "outcome":
        if behaviour == "loses_key":
            return 3
        return 0 if done.exists() else 1
    if behaviour == "broken":
        sys.stderr.write("no idea\n")
        return 4
    if behaviour == "refuses":
        return 10
    with done.open("a", encoding="utf-8") as file:
        file.write(f"{os.environ['LEADLINE_ACTION_KEY']} {change} {sorted(os.environ)}\n")
    if behaviour == "late":
        time.sleep(60)
    if behaviour in {"drops", "loses_key"}:
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdout.write("done\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
