"""The parts of `leadline show`: tasks, who was chosen for them and why, and what a model was asked."""

from collections.abc import Iterable

from pydantic import JsonValue
from rich.console import Console

from ...contracts.assignment import AssignmentDecision
from ...contracts.base import Digest
from ...contracts.ports import LedgerReader
from ...contracts.proposal_record import ProposalRecord
from ...contracts.task import Task
from ..console import Hanging, facts, heading, items, line, text
from ..listing import aligned
from ..outline import outline


async def show_task_list(console: Console, reader: LedgerReader) -> None:
    tasks = await reader.all(Task)
    rows: list[dict[str, JsonValue]] = [
        {
            "state": t.state,
            "agent": t.spec.assignment.owner,
            "attempt": t.attempt,
            "title": t.spec.title,
            "origin": "" if t.origin == "rules" else f"proposed by a {t.origin}",
        }
        for t in tasks
    ]
    if rows:
        columns = {"STATE": "state", "AGENT": "agent", "ATTEMPT": "attempt", "TASK": "title", "": "origin"}
        console.print()
        console.print(text(aligned(rows, columns)), soft_wrap=True)


async def show_tasks(console: Console, reader: LedgerReader) -> None:
    for task in await reader.all(Task):
        console.print(heading(f"{task.spec.title} ({task.spec.task_id}): {task.state}, attempt {task.attempt}"))
        contract: dict[str, JsonValue] = task.spec.model_dump(mode="json", exclude={"task_id", "run_id", "title"})
        if task.required_changes:
            contract["required_changes"] = list(task.required_changes)
        _print(console, outline(contract))


async def show_assignments(console: Console, reader: LedgerReader) -> None:
    titles = {t.key: t.spec.title for t in await reader.all(Task)}
    for decision in await reader.all(AssignmentDecision):
        chosen = ", ".join(f"{s.agent_id} as {s.role.replace('_', ' ')}" for s in decision.selected) or "nobody"
        title = titles.get(decision.task_id, decision.task_id)
        console.print(heading(f"{title}, attempt {decision.attempt}: {chosen}"))
        pairs = [
            ("mode", f"{decision.mode.replace('_', ' ')} ({decision.topology}), by {decision.created_by}"),
            ("why", decision.rationale),
            ("risk flags", ", ".join(decision.risk_flags)),
            ("approvals", ", ".join(decision.required_approvals)),
        ]
        _print(console, facts(pairs, indent="  "))
        _print(console, items((line(f"{r.agent_id} not: {r.reason}") for r in decision.rejected), indent="  "))
        _scores(console, decision)


def _scores(console: Console, decision: AssignmentDecision) -> None:
    rows = [
        {k: v if isinstance(v, str) else f"{v:.2f}" for k, v in score.model_dump(mode="json").items()}
        for score in sorted(decision.scores, key=lambda s: -s.total)
    ]
    columns = {
        "SCORE OF": "agent_id", "TOTAL": "total", "CAPAB": "capability_match", "TOOLS": "tool_permission_fit",
        "SCOPE": "context_scope_fit", "AVAIL": "availability", "PAST": "past_success", "COST": "cost_efficiency",
        "LATEN": "latency_fit", "-RISK": "risk_penalty",
    }  # fmt: skip
    if rows:
        console.print(text(aligned(rows, columns)), soft_wrap=True)


async def show_prompts(console: Console, reader: LedgerReader) -> None:
    """Every question to a proposer; the parts that questions share are shown once."""
    seen: set[Digest] = set()
    records = await reader.all(ProposalRecord)
    if not records:
        console.print(line("no model was asked in this run"))
    for record in records:
        console.print(heading(f"{record.node}: {record.form}, {record.model}"))
        _print(console, facts(_told(record), indent="  "))
        for name, digest in (("system", record.system), ("shared", record.shared), ("task", record.task)):
            if digest in seen:
                console.print(line(f"  {name} part: as before, sha256 {digest[:12]}", "dim"))
            else:
                seen.add(digest)
                await _artifact(console, reader, f"{name} part", digest)
        for number, digest in enumerate(record.replies, start=1):
            await _artifact(console, reader, f"answer {number}", digest)


def _told(record: ProposalRecord) -> list[tuple[str, str]]:
    return [
        ("asked by", record.agent or ""),
        ("answered by", record.origin + (f": {record.degraded}, {record.why}" if record.degraded else "")),
        ("calls", str(record.attempts)),
        ("tokens", f"{record.tokens_in:,} in ({record.estimate:,} estimated), {record.tokens_out:,} out"),
    ]


async def _artifact(console: Console, reader: LedgerReader, name: str, digest: Digest) -> None:
    content = await reader.artifact(digest)
    console.print(line(f"  {name}, sha256 {digest[:12]}:", "dim"))
    body = content.decode("utf-8", "replace") if content is not None else "(not stored)"
    for each in body.splitlines() or [""]:
        console.print(Hanging("    ", text(each)))


def _print(console: Console, pieces: Iterable[Hanging]) -> None:
    for piece in pieces:
        console.print(piece)
