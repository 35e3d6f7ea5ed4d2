import io
from datetime import UTC, datetime, timedelta

import pytest

from leadline.app.approval import ask_person, show_request
from leadline.app.console import plain
from leadline.app.edits import read_edit
from leadline.app.outline import outline
from leadline.app.visible import visible
from leadline.contracts.approval import ApprovalRequest
from leadline.contracts.base import digest_of
from leadline.contracts.errors import UsageError

CONTENT = {
    "tasks": [{"title": "look at metrics\n\x1b[2Jhidden", "writes": "none"}],
    "risk": "high",
    "budget": {"seconds": 9.5},
    "none": [],
}


def request(**changes):
    fields = {
        "approval_id": "apr-1", "run_id": "run-1", "point": "plan", "question": "Investigate by this plan?",
        "subject_digest": digest_of(CONTENT), "content": CONTENT, "risk": "high",
        "asked_at": datetime(2026, 7, 11, 12, tzinfo=UTC), "expires_at": None, "on_ignore": "the run keeps waiting",
    }  # fmt: skip
    return ApprovalRequest(**{**fields, **changes})


def asked(*answers, **changes):
    stream, left = io.StringIO(), list(answers)
    answer = ask_person(plain(stream), request(**changes), lambda _prompt: left.pop(0))
    assert left == []
    return answer, stream.getvalue()


def test_what_will_happen_comes_first_then_risk_time_and_binding():
    stream = io.StringIO()
    show_request(plain(stream), request())
    text = stream.getvalue()
    order = [
        "Investigate by this plan?", "look at metrics \\x1b[2Jhidden", "risk               high",
        "if nobody answers  the run keeps waiting", "expires            never", digest_of(CONTENT)[:16],
    ]  # fmt: skip
    assert sorted(order, key=text.index) == order
    assert visible(text) == text


def test_an_expiry_says_how_long_is_left():
    stream = io.StringIO()
    show_request(plain(stream), request(expires_at=datetime.now(UTC) + timedelta(hours=2, seconds=5)))
    assert "UTC, in 2 h" in stream.getvalue()
    stream = io.StringIO()
    show_request(plain(stream), request(expires_at=datetime(2026, 7, 11, 13, tzinfo=UTC)))
    assert "2026-07-11 13:00:00 UTC, which has passed" in stream.getvalue()


def test_only_the_whole_word_approves():
    answer, _ = asked("y", "a", "", "yes", "Approve ")
    assert answer == ("apr-1", "approved", "", None)


def test_a_rejection_needs_a_reason():
    answer, text = asked("reject", "  ", "reject", "too wide")
    assert answer == ("apr-1", "rejected", "too wide", None)
    assert "a rejection needs a reason" in text


def test_later_is_no_answer():
    assert asked("later")[0] is None


def test_an_edit_comes_from_a_file(tmp_path):
    (tmp_path / "edit.yaml").write_text("drop: [look at logs]\n")
    answer, text = asked("edit", str(tmp_path / "missing"), "edit", str(tmp_path / "edit.yaml"))
    assert answer == ("apr-1", "edited", "", {"drop": ["look at logs"]})
    assert "cannot be read" in text


@pytest.mark.parametrize(
    "text",
    [
        "", "- a\n- b\n", "just words", "a: [1", "a: .nan", "a: !!python/object:os.system x", "{}",
        "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(f"k{i}: &k{i} [{', '.join(['*' + ('a' if i == 0 else f'k{i - 1}')] * 9)}]\n" for i in range(9)),
    ],
    ids=["empty", "list", "scalar", "broken", "nan", "object", "nothing", "bomb"],
)  # fmt: skip
def test_an_edit_that_is_no_plain_mapping_is_refused(text, tmp_path):
    path = tmp_path / "edit.yaml"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_edit(path)
    assert str(path) in refused.value.what


def test_times_in_an_edit_stay_text(tmp_path):
    path = tmp_path / "edit.yaml"
    path.write_text("at: 2026-07-11\n")
    assert read_edit(path) == {"at": "2026-07-11"}


def test_an_outline_hides_nothing_behind_padding():
    stream = io.StringIO()
    console = plain(stream)
    for piece in outline({"b": "x" * 2100, "a": " " * 500 + "run it", "c": [], "d": True}):
        console.print(piece)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "  a: run it"
    assert "… (100 more characters)" in stream.getvalue()
    assert lines[-2:] == ["  c: (none)", "  d: true"]
