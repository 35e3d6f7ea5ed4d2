import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.app.visible import one_line, visible, visible_json

BANNED = {"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\x9bb", "a\\x9bb"),
        ("pay\u200bments \u202erollback", "pay\\u200bments \\u202erollback"),
        ("\U000e0061", "\\U000e0061"),
        ("a\u2028b\r\n\tc", "a\\u2028b\\x0d\n\tc"),
        ("\ud800", "\\ud800"),
        ("Zürich 東京 naïve\u00a0space", "Zürich 東京 naïve\u00a0space"),
    ],
    ids=["escape", "c1", "zero-width-bidi", "tag", "separators", "surrogate", "plain"],
)
def test_what_a_terminal_would_obey_is_shown(text, shown):
    assert visible(text) == shown


@given(st.text(alphabet=st.characters()))
def test_nothing_but_newline_and_tab_is_left_of_the_control_characters(text):
    assert {c for c in visible(text) if unicodedata.category(c) in BANNED} <= {"\n", "\t"}


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_visible_json_means_the_same(text):
    shown = visible_json(json.dumps({"k": text}, ensure_ascii=False))
    assert json.loads(shown) == {"k": text}
    assert not {c for c in shown if unicodedata.category(c) in BANNED}


def test_one_line_folds_and_cuts():
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcd", 4) == "abcd"
