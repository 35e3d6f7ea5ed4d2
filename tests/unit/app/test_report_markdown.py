import pytest
from markdown_it import MarkdownIt

from leadline.app.report.as_markdown import report_markdown
from leadline.app.report.markdown_text import code, md
from leadline.app.visible import visible


def tokens(document):
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for token in parser.parse(document):
        yield token
        yield from token.children or ()


def test_hostile_text_makes_no_link_image_or_tag(hostile):
    types = {token.type for token in tokens(report_markdown(hostile))}
    assert not types & {"link_open", "image", "html_inline", "html_block", "blockquote_open", "fence", "code_block"}


def test_hostile_text_makes_no_heading_and_no_column(rich, hostile):
    def shape(report):
        every = list(tokens(report_markdown(report)))
        return sum(t.type == "heading_open" for t in every), sum(t.type == "th_open" for t in every)

    assert shape(hostile) == shape(rich)


def test_no_invisible_character_is_left(hostile):
    document = report_markdown(hostile)
    assert visible(document) == document


def test_bare_addresses_are_no_links_either():
    assert md("see http://x.invalid and www.x.invalid") == "see http\\://x.invalid and www\\.x.invalid"


@pytest.mark.parametrize("text", ["plain", "has ` one", "`` two", "a | b", "", "`"])
def test_code_spans_hold_any_text(text):
    inner = [t for t in tokens(f"x {code(text)} y") if t.type == "code_inline"]
    assert [t.content.strip() for t in inner] == [text.replace("|", "¦").strip()]


def test_names_stay_readable():
    assert md("cache.ttl_seconds from 300 to 1 (-20 %)") == "cache.ttl_seconds from 300 to 1 (-20 %)"


def test_sections_and_values(rich):
    document = report_markdown(rich)
    headings = [line[3:] for line in document.splitlines() if line.startswith("## ")]
    assert headings == [
        "How it came about", "What was ruled out", "What could not be seen", "What to do", "Timeline",
        "Without a model", "Where it fell back", "Conflicts and decisions", "What it took", "Evidence",
    ]  # fmt: skip
    assert "- Verdict: **Cause found**, confidence 81 % (high)." in document
    assert "| 2 | service productdb | saturation | 2026-07-11 13:42:00 UTC | 34 % | 4 |" in document
    assert "1. **rollback** catalogservice to the version before c62e9dec (evidence 1, 2)" in document
    assert "   - `leadline evidence run-20260711-134900-4f2a obs-000001000000 --rerun`" in document
    assert "Of 160,400 prompt characters, 61 % were shared with an earlier prompt." in document
