"""What a signal leaves behind. Apart from `signals`, so that the help loads no event loop."""

import signal

from .exit_codes import SIGNAL_BASE


class Interrupted(Exception):
    """A signal asked the work to end, and it did."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.exit_code = SIGNAL_BASE + number
