import io
from datetime import UTC, datetime

from rich.console import Console

from leadline.app.progress.board import Board
from leadline.app.progress.lines import progress_line, summary_line
from leadline.app.progress.live import BoardView
from leadline.app.visible import visible
from leadline.contracts.event import Event


def event(kind, subject="", **fields):
    return Event(event_id="e", kind=kind, subject=subject, at=datetime(2026, 7, 11, tzinfo=UTC), **fields)


def moved(task, to, by="", reason=""):
    return event("transition", task, lifecycle="task", from_state="", to_state=to, by=by, reason=reason)


STORY = [
    moved("t1", "ready", "decompose", "Look at metrics"),
    moved("t2", "ready", "decompose", "Look at \x1b[2Jlogs"),
    event("node.finished", "delegate"),
    moved("t1", "running", "metrics_analyst"),
    event("probe.answered", "obs-1"),
    event("probe.answered", "obs-2"),
    event("proposal.made", "ask-1", data={"attempts": 2, "tokens_in": 900, "tokens_out": 100}),
    event(
        "proposal.degraded",
        "ask-2",
        reason="down: no connection",
        data={"node": "execute", "form": "FindingsProposal", "attempts": 1, "tokens_in": 10, "tokens_out": 0},
    ),
    event(
        "proposal.degraded",
        "ask-3",
        reason="down: no connection",
        data={"node": "verify", "form": "ReviewProposal", "attempts": 0, "tokens_in": 0, "tokens_out": 0},
    ),
    moved("t1", "accepted", "verifier"),
    moved("t2", "running", "log_analyst"),
    moved("t2", "revision_requested", "verifier", "claim c-1 is not supported"),
]


def told():
    board, lines = Board(), []
    for each in STORY:
        board.apply(each)
        lines.append(progress_line(each, board))
    return board, [line for line in lines if line]


def test_lines_tell_what_changed_for_a_task():
    assert told()[1] == [
        "Look at metrics (metrics_analyst): running",
        "execute: FindingsProposal answered by rules: down: no connection",
        "Look at metrics (metrics_analyst): accepted",
        "Look at \\x1b[2Jlogs (log_analyst): running",
        "Look at \\x1b[2Jlogs (log_analyst): revision requested: claim c-1 is not supported",
    ]


def test_the_summary_counts():
    board, _ = told()
    assert summary_line(board, "3.2 s") == (
        "1 of 2 tasks done, 2 questions to the data, 3 model calls, 1,010 tokens, 2 answered by rules instead, 3.2 s"
    )


def test_the_live_view_shows_tasks_agents_and_time():
    board, _ = told()
    stream = io.StringIO()
    Console(file=stream, width=100).print(BoardView(board, lambda: 65.0))
    text = stream.getvalue()
    assert "starting · delegate · 1 min 05 s · 2 questions · 2 answered by rules instead" in text
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["accepted", "Look", "at", "metrics", "metrics_analyst"],
        ["revision", "requested", "(attempt", "2)", "Look", "at", "\\x1b[2Jlogs", "log_analyst"],
    ]
    assert visible(text) == text
