"""What the telemetry says: bundle, tables, probes, analysts. `open_bundle` is the way in."""

from .opened import OpenedBundle, open_bundle

__all__ = ["OpenedBundle", "open_bundle"]
