"""Incidents of our own making, shipped with the product: what `leadline demo` investigates, and a small evaluation set.

`generate.py` writes them, byte for byte the same anywhere. The ferry line and everything in them is invented.
"""

from pathlib import Path

INCIDENTS = Path(__file__).parent / "incidents"
"""A dataset: one folder a case, `bundle/` and beside it `expected.yaml`."""

DEMO = INCIDENTS / "ferry-bookings" / "bundle"
"""The bundle of `leadline demo`."""
