"""Fresh data as a bundle: a folder that something else writes anew while a run goes on."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..contracts.errors import BundleError
from ..contracts.ports import Evidence
from .wiring import OpenEvidence


@dataclass(frozen=True)
class FreshBundle:
    """Implements `OpenFresh`. Its `incident.yaml` says which stretch is normal and which is to be looked at."""

    path: Path
    open_evidence: OpenEvidence

    async def __call__(self, since: datetime) -> Evidence | None:
        try:
            evidence = await asyncio.to_thread(self.open_evidence, self.path)
        except BundleError:
            return None
        if any(c.end is not None and c.end > since for c in evidence.coverage()):
            return evidence
        evidence.close()
        return None
