"""Write the shipped incidents anew: `python -m leadline.examples.generate [FOLDER]`.

The files are the same, byte for byte, on every machine; a test compares them with what is committed.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from . import INCIDENTS
from .scenarios import blind_spot, ferry_bookings, quiet_morning
from .telemetry import Recording

SCENARIOS: dict[str, Callable[[], Recording]] = {
    "ferry-bookings": ferry_bookings.record,
    "quiet-morning": quiet_morning.record,
    "blind-spot": blind_spot.record,
}


def main(folder: Path = INCIDENTS) -> None:
    for name, record in SCENARIOS.items():
        record().write(folder / name)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
