import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from leadline.app.report.as_html import report_html
from leadline.app.visible import visible


class Page(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.comments = Counter(), [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        self.comments.append(data)

    def words(self):
        return " ".join(" ".join(self.text).split())


def test_hostile_text_adds_no_kind_of_tag_and_no_attribute(rich, hostile):
    clean, poisoned = Page(report_html(rich)), Page(report_html(hostile))
    assert set(poisoned.tags) <= set(clean.tags)
    assert {(t, n) for t, n, _ in poisoned.attributes} <= {(t, n) for t, n, _ in clean.attributes}
    assert not {"script", "img", "iframe", "form", "link", "object", "base"} & set(poisoned.tags)
    assert poisoned.tags["meta"] == clean.tags["meta"]
    assert poisoned.comments == []


def test_the_page_fetches_nothing_and_allows_one_style_sheet(hostile):
    page = Page(report_html(hostile))
    links = [value for _, name, value in page.attributes if name in {"href", "src", "action", "srcset", "xlink:href"}]
    assert links
    assert all(re.fullmatch(r"#evidence-\d+", link) for link in links)
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name == "style"]
    policy = next(value for _, name, value in page.attributes if name == "content" and "default-src" in value)
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'", policy
    )


def test_the_style_hash_is_that_of_the_style_in_the_page(rich):
    import base64
    import hashlib

    html = report_html(rich)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in html


def test_no_invisible_character_reaches_the_page(hostile):
    html = report_html(hostile)
    assert visible(html) == html
    assert "\\u202erollback" in html


def test_sections_stand_in_the_order_of_need(rich):
    html = report_html(rich)
    headings = re.findall(r'<h2 id="([\w-]+)"', html)
    assert headings == [
        "verdict", "causes", "chain", "ruled-out", "unseen", "remedies", "timeline", "without-model", "degraded",
        "rulings", "evidence",
    ]  # fmt: skip


def test_what_a_person_must_read_is_there(rich):
    words = Page(report_html(rich)).words()
    for told in (
        "Cause found",
        "81 % confidence, high",
        "2026-07-11 13:41:20 UTC",
        "pod and node state, to exclude an eviction on node-7",
        "cut: only part of it could be read",
        "The rules alone say the same: cause found, change c62e9decf1a0 on catalogservice, confidence 78 %.",
        "the model's answer broke the form twice",
        "leadline evidence run-20260711-134900-4f2a obs-000002000001 --rerun",
        "37 questions to the data, 9 model calls, 41,208 tokens in, 2,310 out, 1 min 14 s",
    ):
        assert told in words, told


def test_every_citation_leads_to_its_evidence(rich):
    html = report_html(rich)
    assert set(re.findall(r'href="#(evidence-\d+)"', html)) <= set(re.findall(r'id="(evidence-\d+)"', html))


@pytest.mark.parametrize("name", ["rich", "empty", "hostile"])
def test_tags_are_balanced(name, request):
    html = report_html(request.getfixturevalue(name))
    void = {"meta", "br", "hr", "img", "input", "link"}
    stack = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in void:
                stack.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert stack.pop() == tag

    Balance().feed(html)
    assert stack == []


def test_an_empty_report_says_so(empty):
    words = Page(report_html(empty)).words()
    assert "Treat what follows as leads, not as an answer." in words
    assert "No chain from a cause to the alert could be shown." in words
    assert "draft, not approved" in words
