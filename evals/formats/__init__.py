"""Importers of public incident collections, by name."""

from ...contracts.errors import UsageError
from . import changerca, cloud_opsbench, holmesgpt, nezha, openrca, opensre, petshop, rcaeval
from .base import Importer, ImportSummary
from .rootcausebench_importer import IMPORTER as ROOTCAUSEBENCH

FORMATS: dict[str, Importer] = {
    importer.name: importer
    for importer in (
        changerca.IMPORTER,
        cloud_opsbench.IMPORTER,
        holmesgpt.IMPORTER,
        nezha.IMPORTER,
        openrca.IMPORTER,
        opensre.IMPORTER,
        petshop.IMPORTER,
        rcaeval.IMPORTER,
        ROOTCAUSEBENCH,
    )
}

__all__ = ["FORMATS", "ImportSummary", "Importer", "importer"]


def importer(name: str) -> Importer:
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}", why=f"known are {', '.join(sorted(FORMATS))}")
    return FORMATS[name]
