"""Is a count or a share larger than before? Scores for things that are counted, with smoothing for small numbers."""

import math


def share_score(failed_before: int, before: int, failed_after: int, after: int) -> float:
    """Two-proportion z score with one success and one failure added to each side (Agresti and Caffo, 2000)."""
    was, now = (failed_before + 1) / (before + 2), (failed_after + 1) / (after + 2)
    pooled = (failed_before + failed_after + 2) / (before + after + 4)
    return (now - was) / math.sqrt(pooled * (1 - pooled) * (1 / (before + 2) + 1 / (after + 2)))


def rate_score(before: int, minutes_before: float, after: int, minutes_after: float) -> float:
    """Signed distance of two Poisson rates on the variance-stabilised scale (Anscombe, 1948): 2 is hardly chance."""
    if minutes_before <= 0 or minutes_after <= 0:
        return 0.0
    now, was = math.sqrt((after + 0.375) / minutes_after), math.sqrt((before + 0.375) / minutes_before)
    return (now - was) / (0.5 * math.sqrt(1 / minutes_after + 1 / minutes_before))


def per_minute(count: int, minutes: float) -> float:
    return count / minutes if minutes > 0 else 0.0
