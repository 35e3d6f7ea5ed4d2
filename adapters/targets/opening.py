"""From a catalog's targets to adapters; what a run does not use is not loaded."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from ...contracts.action_catalog import CommandTarget, HttpTarget, KubernetesTarget, TargetSpec
from ...contracts.ports import ActionTarget, Clock
from .dry_run import DryRunTarget


@asynccontextmanager
async def open_targets(specs: Mapping[str, TargetSpec], clock: Clock) -> AsyncIterator[dict[str, ActionTarget]]:
    """All of them, closed at the end; raise `CatalogError` where a secret or token cannot be read."""
    opened: dict[str, ActionTarget] = {}
    try:
        for name, spec in specs.items():
            opened[name] = make_target(name, spec, clock)
        yield opened
    finally:
        for target in opened.values():
            await target.close()


def make_target(name: str, spec: TargetSpec, clock: Clock) -> ActionTarget:
    if isinstance(spec, CommandTarget):
        from .command import ProgramTarget  # noqa: PLC0415  only where a catalog has one

        return ProgramTarget(name, spec)
    if isinstance(spec, HttpTarget):
        from .http import WebTarget  # noqa: PLC0415  httpx takes 0.2 s to load

        return WebTarget(name, spec, clock)
    if isinstance(spec, KubernetesTarget):
        from .kubernetes import KubernetesApi  # noqa: PLC0415

        return KubernetesApi(name, spec)
    return DryRunTarget(name)
