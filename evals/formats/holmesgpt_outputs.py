"""Recorded tool outputs: what they are, whether they can be trusted, and the rows in them."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .kubectl_text import table

Rows = Iterator[dict[str, Any]]
Status = Literal["ok", "empty", "failed"]
FAILED = re.compile(
    r"failed with return code|^error: |^Error from server|error: You must be logged in|unable to connect|"
    r"command not found|executable file not found",
    re.MULTILINE | re.IGNORECASE,
)
HEAD = 400
"""How much of a body is looked at for a failure; a log may speak of failures further down."""
STATUS = re.compile(r"^(?:Status|State): +(\S+)", re.MULTILINE)
REASON = re.compile(r"^ +State: +\S+\s*\n +Reason: +(\S+)", re.MULTILINE)
"""Of the state that is, not of one that was."""
KUBECTL = re.compile(
    r"kubectl (?:describe|get|logs|top)\b(?:.*? (?P<kind>pods?|nodes?|deployments?|jobs?))?[ /]*(?P<name>[\w.-]+)?"
)


class Output(NamedTuple):
    name: str
    tool: str
    params: dict[str, Any]
    header: str
    """What the header claims."""
    status: Status
    """What the whole shows."""
    body: str


def read_outputs(folder: Path) -> list[Output]:
    """In the order of recording, each different answer once."""
    found = [_recorded(path) for path in sorted((folder / "outputs").glob("*.txt"))]
    transcript = folder / "observations.json"
    if transcript.is_file():
        told = json.loads(transcript.read_text("utf-8"))
        found += [_observed(entry) for entry in told["observations"]]
    unique = {(output.tool, output.body, output.status): output for output in reversed(found)}
    return sorted(unique.values())


def _recorded(path: Path) -> Output:
    first, _, rest = path.read_text("utf-8", errors="replace").partition("\n")
    second, _, body = rest.partition("\n")
    head, result = json.loads(first), json.loads(second)
    params = head.get("match_params") or result.get("params") or {}
    claimed = str(result.get("status", ""))
    status = _status(claimed, result.get("return_code"), body)
    return Output(path.stem, str(head.get("tool_name", "")), params, claimed, status, body or str(result.get("error")))


def _observed(entry: dict[str, Any]) -> Output:
    args = entry["args"] if isinstance(entry["args"], dict) else {}
    status = _status("success", 0, entry["output"])
    return Output(f"{int(entry['n']):02d}_{entry['tool']}", entry["tool"], args, "success", status, entry["output"])


def _status(claimed: str, return_code: int | None, body: str) -> Status:
    """The body has the last word: a text that tells of failure is no evidence, whatever its header says."""
    if claimed == "error" or return_code or FAILED.search(body[:HEAD]):
        return "failed"
    empty = re.sub(r"^(?:stdout|stderr):", "", body, flags=re.MULTILINE).strip() in {"", "[]", "{}"}
    return "empty" if claimed == "no_data" or empty else "ok"


def resources(outputs: Sequence[Output]) -> Rows:
    """Objects that outputs describe or list."""
    for output in outputs:
        if output.status != "ok":
            continue
        kind, name = subject(output)
        if "describe" in output.tool or "kubectl describe" in str(output.params.get("command", "")):
            reason = REASON.search(output.body)
            status = STATUS.search(output.body)
            state = reason[1] if reason else status[1] if status else ""
            yield _row(kind, name, state, output.body, output.params)
        else:
            listed = re.sub(r"^(?:stdout|stderr):\n?", "", output.body, flags=re.MULTILINE)
            for row in table(listed):
                if "NAME" in row:
                    state = row.get("STATUS") or row.get("READY") or ""
                    line = "; ".join(f"{key}={value}" for key, value in row.items())
                    yield _row(kind, row["NAME"], state, line, output.params)


def collection_status(outputs: Sequence[Output]) -> str:
    """Which outputs can be read, and why the others cannot: a failed one is no evidence, but that it failed is."""
    lines = []
    for output in outputs:
        why = "" if output.status == "ok" else " ".join(output.body.split())[:HEAD]
        lines.append(f"{output.name}: {output.status}{f': {why}' if why else ''}\n")
    return "".join(lines)


def metrics(outputs: Sequence[Output]) -> Rows:
    """Matrices of range queries."""
    for output in outputs:
        if output.status != "ok" or "range_query" not in output.tool:
            continue
        try:
            answer = json.loads(output.body)
        except ValueError:
            continue
        data = answer.get("data") or {}
        for series in data.get("result", []) if isinstance(data, dict) else []:
            labels = series["metric"]
            for ts, value in series["values"]:
                yield {
                    "ts": datetime.fromtimestamp(float(ts), tz=UTC).isoformat(),
                    "service": str(labels.get("service") or labels.get("node") or labels.get("pod") or "cluster"),
                    "instance": ",".join(f"{key}={text}" for key, text in sorted(labels.items())),
                    "metric": str(answer.get("query") or output.params.get("query", "")),
                    "value": float(value),
                }


def subject(output: Output) -> tuple[str, str]:
    command = KUBECTL.search(str(output.params.get("command", "")))
    kind = output.params.get("kind") or (command["kind"] if command else None) or "pod"
    name = output.params.get("name") or output.params.get("pod_name") or (command["name"] if command else None) or ""
    return str(kind).lower().removesuffix("s"), str(name)


def _row(kind: str, name: str, status: str, body: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "namespace": str(params.get("namespace") or ""), "name": name, "status": status, "body": body}
