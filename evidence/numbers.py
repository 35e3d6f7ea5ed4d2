"""Numbers as answers hold them: rounded, finite, and strengths between 0 and 1."""

import math

DIGITS = 6
"""Significant digits of every number in an answer."""


def rounded(value: float | None, digits: int = DIGITS) -> float | None:
    """To significant digits, so that a last bit never makes two answers differ; None for what is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")


def strength(value: float) -> float:
    """Into [0, 1], to four places."""
    return round(min(max(value, 0.0), 1.0), 4) if math.isfinite(value) else 0.0


def saturating(value: float, half: float) -> float:
    """0 at 0, 0.5 at `half`, towards 1: monotone in `value`."""
    return strength(value / (value + half)) if value > 0 else 0.0
