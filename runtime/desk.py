"""What a run is given to act with: the catalog as it is now, its targets, and the live source where there is one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ..adapters.targets.opening import open_targets
from ..contracts.ports import ActionDesk
from ..contracts.run import RunConfig
from .action_catalog import load_catalog
from .fresh import FreshBundle
from .settings import Settings
from .wiring import Parts

MOST_STALL = 5.0
"""Seconds between recording an intent and the call; and never more than a lease that is due for renewal still lasts."""


@asynccontextmanager
async def desk_of_run(config: RunConfig, settings: Settings, parts: Parts) -> AsyncIterator[ActionDesk | None]:
    """None for a run that only advises, and for every evaluation."""
    if config.team.actions.mode == "off" or config.evaluation:
        yield None
        return
    async with open_desk(config, settings, parts) as desk:
        yield desk


@asynccontextmanager
async def open_desk(config: RunConfig, settings: Settings, parts: Parts) -> AsyncIterator[ActionDesk]:
    """Raise `CatalogError`. The catalog is read anew: what changed since an approval was given voids it."""
    path = settings.actions or (Path(config.actions_catalog) if config.actions_catalog else None)
    catalog = load_catalog(path)
    async with open_targets(catalog.targets, parts.clock) as targets:
        yield ActionDesk(
            catalog=catalog,
            targets={**targets, **parts.targets},
            tenant=settings.tenant,
            user=config.user,
            uptime=parts.uptime,
            fresh=parts.fresh or (FreshBundle(settings.fresh, parts.open_evidence) if settings.fresh else None),
            stall_seconds=min(MOST_STALL, settings.lease_seconds / 2),
        )
