"""RootCauseBench as one of the registered importers."""

from pathlib import Path

from ...contracts.errors import DatasetError
from .base import ImportSummary
from .rootcausebench import import_case


class RootCauseBench:
    name = "rootcausebench"
    describes = "RootCauseBench: a case, or a folder that holds cases"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        cases = sorted(path.parents[2] for path in src.rglob("environment/data/alert.json"))
        if not cases:
            raise DatasetError(
                f"no RootCauseBench case below {str(src)!r}", why="no environment/data/alert.json was found"
            )
        for case in cases[:limit]:
            import_case(case, out)
        return ImportSummary(self.name, len(cases[:limit]))


IMPORTER = RootCauseBench()
