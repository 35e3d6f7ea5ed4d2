"""OpenSRE synthetic suites: EKS and RDS scenarios, healthy controls and red herrings among them.

Traps of the format that are met here: the alert carries the failure mode as an annotation, and its title the suite's
name; `answer.yml`, `scenario.yml` and `QA_VALIDATION.md` tell the truth; folder names do too; a scenario may inherit
evidence files from its base, but a metric that is absent on purpose must stay absent; times of inherited evidence may
be days old.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from ...contracts.errors import DatasetError
from ...contracts.evidence import Source
from ...contracts.incident import Alert, AnswerSpace, CauseKind, Incident, Severity
from ..expected import Expected, ExpectedCause
from .base import ImportSummary, case_name, need, new_case
from .opensre_tables import logs, metrics, resources

CATEGORIES: dict[str, CauseKind] = {
    "code_defect": "component",
    "configuration_error": "config",
    "data_quality": "component",
    "dependency_failure": "dependency",
    "infrastructure": "infrastructure",
    "resource_exhaustion": "capacity",
}
HEALTHY = "healthy"
TELLTALE = re.compile(r"failure_mode$|^context_sources$|^pipeline_name$|^severity$")
SUITE = re.compile(r"^\[[\w-]+\]\s*")
SOURCES: dict[str, Source] = {
    "aws_cloudwatch_metrics": "metrics",
    "aws_performance_insights": "metrics",
    "eks_pod_logs": "logs",
    "datadog_logs": "logs",
}
SEVERITIES: dict[str, Severity] = {"info": "info", "warning": "warning", "critical": "critical"}


class Scenario(NamedTuple):
    folder: Path
    about: dict[str, Any]
    answer: dict[str, Any]
    alert: dict[str, Any]
    evidence: tuple[Path, ...]
    """Files of its own, and those of its base that it lacks."""


class OpenSre:
    name = "opensre"
    describes = "OpenSRE synthetic suites: the folder that holds the suites"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        found = sorted(path.parent for path in src.rglob("answer.yml"))
        if not found:
            raise DatasetError(f"no OpenSRE scenario below {str(src)!r}", why="no answer.yml was found")
        for number, folder in enumerate(found[:limit], start=1):
            _case(out, case_name(self.name, number), _scenario(folder))
        return ImportSummary(self.name, len(found[:limit]))


def _scenario(folder: Path) -> Scenario:
    about = _yaml(need(folder / "scenario.yml", "OpenSRE", "each scenario has one"))
    base = folder.parent / str(about["base"]) if about.get("base") else None
    inherited = _yaml(base / "scenario.yml") if base else {}
    kinds = about.get("available_evidence") or inherited.get("available_evidence") or []
    files = [path for kind in kinds for path in _evidence(folder, base, str(kind))]
    alert = json.loads((folder / "alert.json").read_text("utf-8"))
    return Scenario(folder, inherited | about, _yaml(folder / "answer.yml"), alert, tuple(files))


def _evidence(folder: Path, base: Path | None, kind: str) -> list[Path]:
    """Its own files of a kind; the base's only where it has none, so that what was left out stays out."""
    own = sorted(folder.glob(f"{kind}*.json"))
    return own or (sorted(base.glob(f"{kind}*.json")) if base else [])


def _case(out: Path, name: str, scenario: Scenario) -> None:
    labels = scenario.alert["commonLabels"]
    notes = scenario.alert["commonAnnotations"]
    service = str(notes.get("db_instance") or labels.get("workload_name") or labels.get("service", ""))
    bodies = [(path.stem, json.loads(path.read_text("utf-8"))) for path in scenario.evidence]
    with new_case(out, name) as case:
        case.tables.rows("metrics", metrics(bodies))
        case.tables.rows("logs", logs(bodies, service))
        case.tables.rows("resources", resources(bodies))
        case.incident(_incident(name, scenario, service))
        case.expect(_expected(scenario, service))


def _incident(name: str, scenario: Scenario, service: str) -> Incident:
    labels, notes = scenario.alert["commonLabels"], scenario.alert["commonAnnotations"]
    told = {key: str(value) for key, value in {**labels, **notes}.items() if value and not TELLTALE.search(key)}
    told["state"] = str(scenario.alert.get("state", ""))
    summary = " ".join(str(notes[key]) for key in ("summary", "error", "suspected_symptom") if notes.get(key))
    return Incident(
        id=name,
        title=SUITE.sub("", str(scenario.alert["title"])),
        alerts=(
            Alert(
                service=service,
                metric=str(labels.get("alertname", "")),
                severity=SEVERITIES.get(str(labels.get("severity", "")), "critical"),
                summary=summary,
                labels=told,
            ),
        ),
        question="Is anything broken, and if so, what kind of fault is it?",
        answer_space=AnswerSpace(reasons=tuple(CATEGORIES)),
    )


def _expected(scenario: Scenario, service: str) -> Expected:
    answer = scenario.answer
    category = str(answer["root_cause_category"]).strip()
    healthy = category == HEALTHY
    wanted = [str(source) for source in answer.get("required_evidence_sources") or []]
    cause = ExpectedCause(kind=CATEGORIES.get(category, "component"), ref=service, service=service, reason=category)
    return Expected(
        outcome="no_incident" if healthy else "cause_found",
        healthy_control=healthy,
        causes=() if healthy else (cause,),
        judged_by=("reason",),
        facts=tuple(str(keyword) for keyword in answer.get("required_keywords") or []),
        required_evidence=tuple(sorted({SOURCES.get(source, "resources") for source in wanted})),
        candidates=len(CATEGORIES) + 1,
        official={
            "scorer": "opensre",
            "root_cause_category": category,
            "required_keywords": answer.get("required_keywords") or [],
            "forbidden_categories": answer.get("forbidden_categories") or [],
            "forbidden_keywords": answer.get("forbidden_keywords") or [],
            "ruling_out_keywords": answer.get("ruling_out_keywords") or [],
        },
        tags={
            "source": "opensre",
            "system": scenario.folder.parent.name,
            "tier": str(scenario.about.get("scenario_difficulty", "")),
            "fault": str(scenario.about.get("failure_mode", category)),
        },
    )


def _yaml(path: Path) -> dict[str, Any]:
    return dict(YAML(typ="safe").load(path.read_text(encoding="utf-8")))


IMPORTER = OpenSre()
