"""How good one report is, measure by measure: deterministic, versioned, small."""

from .measures import MEASURES, Measure, score

__all__ = ["MEASURES", "Measure", "score"]
