"""Cloud-OpsBench: Kubernetes snapshots with one injected fault; every answer of ten diagnostic tools is recorded.

Traps of the format that are met here: `metadata.json` holds the question, the truth and the expert's path side by side;
the fault's class is a folder name; some labels are not the words that the asker's own list offers; snapshot times have
no zone, while the tools' texts do; a tool's text may say that it failed.
"""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from ...contracts.errors import DatasetError
from ...contracts.incident import AnswerSpace, CauseKind, CauseRef, Incident
from ..expected import Expected, ExpectedCause
from .base import ImportSummary, case_name, need, new_case
from .cloud_opsbench_tables import Snapshot, alerts, edges, logs, metrics, resources

CACHE = "tool_cache.json.gz"
KINDS: dict[str, CauseKind] = {"app": "component", "node": "infrastructure", "namespace": "capacity"}


class Reasons(NamedTuple):
    taxonomy: dict[str, str]
    """Reason to class."""
    aliases: dict[str, str]


def load_reasons() -> Reasons:
    path = Path(__file__).with_name("cloud_opsbench_reasons.yaml")
    raw = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    taxonomy = {reason: name for name, reasons in raw["taxonomy"].items() for reason in reasons}
    return Reasons(dict(sorted(taxonomy.items())), raw["aliases"])


class CloudOpsBench:
    name = "cloud_opsbench"
    describes = "Cloud-OpsBench: the folder that holds benchmark/, or a system's folder inside it"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        found = sorted((path.parent for path in src.rglob(CACHE)), key=_order)
        if not found:
            raise DatasetError(f"no Cloud-OpsBench case below {str(src)!r}", why=f"no {CACHE} was found")
        reasons = load_reasons()
        notes: list[str] = []
        for number, folder in enumerate(found[:limit], start=1):
            name = case_name(self.name, number)
            notes += [f"{name}: {note}" for note in _case(out, name, folder, reasons)]
        return ImportSummary(self.name, len(found[:limit]), tuple(notes))


def _order(folder: Path) -> tuple[str, str, int, str]:
    number = int(folder.name) if folder.name.isdigit() else 0
    return folder.parents[1].name, folder.parent.name, number, folder.name


def _case(out: Path, name: str, folder: Path, reasons: Reasons) -> list[str]:
    about = json.loads(need(folder / "metadata.json", "Cloud-OpsBench", "each case has one").read_text("utf-8"))
    with gzip.open(folder / CACHE, "rt", encoding="utf-8") as file:
        snapshot = Snapshot.of(json.load(file), about["namespace"])
    objects = snapshot.objects()
    with new_case(out, name) as case:
        case.tables.rows("logs", logs(snapshot))
        case.tables.rows("resources", resources(snapshot))
        case.tables.rows("topology", edges(snapshot))
        case.tables.rows("metrics", metrics(folder / "raw_data" / "metrics.csv", snapshot))
        case.incident(_incident(name, about["query"], snapshot, objects, reasons))
        case.expect(_expected(about, folder, objects, reasons))
    return [] if snapshot.zone else ["times have no zone; read as UTC"]


def _incident(name: str, query: str, snapshot: Snapshot, objects: list[str], reasons: Reasons) -> Incident:
    return Incident(
        id=name,
        title=query,
        alerts=alerts(snapshot, query),
        question=f"{query} Which object is at fault, and which of the listed root causes is it?",
        answer_space=AnswerSpace(
            causes=tuple(
                CauseRef(kind=_kind(ref), ref=ref, service=ref.partition("/")[2] if ref.startswith("app/") else "")
                for ref in objects
            ),
            reasons=tuple(reasons.taxonomy),
        ),
    )


def _expected(about: dict[str, Any], folder: Path, objects: list[str], reasons: Reasons) -> Expected:
    truth = about["result"]
    label, ref = truth["root_cause"], truth["fault_object"]
    reason = reasons.aliases.get(label, label)
    app = ref.partition("/")[2] if ref.startswith("app/") else ""
    measured = (folder / "raw_data" / "metrics.csv").is_file()
    return Expected(
        outcome="cause_found",
        causes=(ExpectedCause(kind=_kind(ref), ref=ref, service=app, reason=reason),),
        judged_by=("ref", "reason"),
        required_evidence=("metrics",) if measured else ("resources",),
        candidates=len(objects) * len(reasons.taxonomy),
        official={
            "scorer": "cloud_opsbench",
            "fault_taxonomy": truth["fault_taxonomy"],
            "fault_object": ref,
            "root_cause": label,
        },
        tags={
            "source": "cloud_opsbench",
            "system": folder.parents[1].name,
            "tier": folder.parent.name,
            "fault": reason,
        },
    )


def _kind(ref: str) -> CauseKind:
    return KINDS.get(ref.partition("/")[0], "component")


IMPORTER = CloudOpsBench()
