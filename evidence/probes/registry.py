"""All probes, found once: every module of this package that holds a `PROBE`."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from . import __path__ as _folder
from .base import Probe


@cache
def all_probes() -> Mapping[str, Probe[Any]]:
    """By name, in the order of the names."""
    found: dict[str, Probe[Any]] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(_folder)):
        probe = getattr(importlib.import_module(f"{__package__}.{module}"), "PROBE", None)
        if isinstance(probe, Probe):
            found[probe.name] = probe
    return dict(sorted(found.items()))
