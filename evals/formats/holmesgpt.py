"""HolmesGPT fixtures: recorded tool outputs as a fixed pool of evidence, and what the answer must say.

Traps of the format that are met here: a header may say `success` while the body tells that the command failed, so the
body decides; headers may lack their parameters; `expected.json` and the folder's name hold the truth; one answer may
be recorded many times, which is no corroboration, so equal outputs are kept once; pages from the web are marked.
"""

import json
from pathlib import Path
from typing import Any

from ...contracts.errors import DatasetError
from ...contracts.incident import Alert, Incident
from ...contracts.report import Outcome
from ..expected import Expected
from .base import ImportSummary, case_name, new_case
from .holmesgpt_logs import logs
from .holmesgpt_outputs import Output, collection_status, metrics, read_outputs, resources

TITLE_LENGTH = 120


class HolmesGpt:
    name = "holmesgpt"
    describes = "HolmesGPT fixtures: the folder that holds one folder per case"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        found = sorted(path.parent for path in src.rglob("expected.json"))
        if not found:
            raise DatasetError(f"no HolmesGPT fixture below {str(src)!r}", why="no expected.json was found")
        notes: list[str] = []
        for number, folder in enumerate(found[:limit], start=1):
            name = case_name(self.name, number)
            notes += [f"{name}: {note}" for note in _case(out, name, folder)]
        return ImportSummary(self.name, len(found[:limit]), tuple(notes))


def _case(out: Path, name: str, folder: Path) -> list[str]:
    truth = json.loads((folder / "expected.json").read_text("utf-8"))
    outputs = read_outputs(folder)
    lying = sum(output.header == "success" and output.status == "failed" for output in outputs)
    with new_case(out, name) as case:
        for output in outputs:
            if output.status == "ok":
                case.document(f"{'web/' if output.tool == 'fetch_webpage' else ''}{output.name}.txt", output.body)
        case.document("collection_status.txt", collection_status(outputs))
        case.tables.rows("resources", resources(outputs))
        case.tables.rows("logs", logs(outputs))
        case.tables.rows("metrics", metrics(outputs))
        case.incident(_incident(name, folder, truth))
        case.expect(_expected(folder, truth, outputs))
    return [f"{lying} outputs say success but failed"] if lying else []


def _incident(name: str, folder: Path, truth: dict[str, Any]) -> Incident:
    alert = _json(folder / "alert.json")
    asked = truth.get("question") or _json(folder / "observations.json").get("question") or ""
    if not alert:
        return Incident(id=name, title=asked[:TITLE_LENGTH], question=asked)
    subject = alert.get("subject") or {}
    labels = {key: str(value) for key, value in subject.items() if value and isinstance(value, str)}
    description = alert.get("description") or _json(folder / "issue_data.json").get("description") or ""
    return Incident(
        id=name,
        title=str(alert["title"])[:TITLE_LENGTH],
        alerts=(
            Alert(
                service=str(subject.get("name") or ""),
                metric=str(alert["title"]),
                severity="warning",
                summary=str(description),
                labels=labels,
            ),
        ),
        question=asked or "What is the cause of this alert?",
    )


def _expected(folder: Path, truth: dict[str, Any], outputs: list[Output]) -> Expected:
    told = truth["expected_output"]
    facts = tuple(str(fact).strip() for fact in ([told] if isinstance(told, str) else told))
    return Expected(
        outcome=_outcome(facts, outputs),
        facts=facts,
        official={"scorer": "holmesgpt", "upstream_correctness": truth.get("upstream_correctness")},
        tags={
            "source": "holmesgpt",
            "system": "kubernetes",
            "fault": folder.name.partition("__")[0],
            "tier": next((tag for tag in truth.get("tags") or [] if tag in {"easy", "medium", "hard"}), ""),
        },
    )


def _outcome(facts: tuple[str, ...], outputs: list[Output]) -> Outcome:
    """Nothing readable: no answer can stand on it. The expected answer says that there is none: nothing is wrong."""
    if not any(output.status == "ok" for output in outputs):
        return "inconclusive"
    return "no_incident" if all(fact.lower().startswith("no ") for fact in facts) else "cause_found"


def _json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


IMPORTER = HolmesGpt()
