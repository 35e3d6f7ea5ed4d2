"""What agents wrote to each other in a run, thread by thread, and what the gate refused."""

from collections.abc import Sequence

from rich.console import Console

from ...contracts.event import Event
from ...contracts.message import AgentMessage
from ...contracts.ports import LedgerReader
from ...contracts.task import Task
from ..console import Hanging, facts, items, line
from ..times import utc


async def show_messages(console: Console, reader: LedgerReader) -> None:
    messages = await reader.all(AgentMessage)
    refused = [e for e in await reader.events() if e.kind == "message.refused"]
    titles = {t.key: t.spec.title for t in await reader.all(Task)}
    if not messages and not refused:
        console.print(line("nobody wrote to anybody in this run"))
    for thread in dict.fromkeys(m.thread_id for m in messages):
        _thread(console, [m for m in messages if m.thread_id == thread], titles)
    if refused:
        console.print(line("\nRefused", "bold"))
        for piece in items((line(_refusal(e)) for e in refused), indent="  "):
            console.print(piece)


def _thread(console: Console, messages: Sequence[AgentMessage], titles: dict[str, str]) -> None:
    about = messages[0].task_id
    console.print(line(f"\n{titles.get(about or '', about or 'the whole run')}", "bold"))
    for message in messages:
        head = f"{message.from_agent} to {message.to_agent or 'all'}: {message.kind.replace('_', ' ')}, {message.state}"
        console.print(Hanging("  ", line(head)))
        pairs = [
            ("said", message.content_summary),
            ("on", f"{message.channel.replace('_', ' ')}, {utc(message.created_at)}"),
            ("refers to", ", ".join(message.refs)),
            ("answer due", message.expected_response.format if message.expected_response else ""),
        ]
        for piece in facts(pairs, indent="    "):
            console.print(piece)


def _refusal(event: Event) -> str:
    told = event.data
    return f"{event.by} to {told.get('to')}: {str(told.get('kind')).replace('_', ' ')}: {event.reason}"
