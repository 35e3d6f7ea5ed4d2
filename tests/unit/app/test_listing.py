import json

from ruamel.yaml import YAML

from leadline.app.listing import aligned, show_list

ROWS = [
    {"run": "run-1", "title": "slow \x1b[31mcheckout\u202e", "n": 1, "tags": ["a", "b"], "why": None},
    {"run": "run-22", "title": "ok", "n": 20, "tags": list("abcdefgh"), "why": "x"},
]
COLUMNS = {"RUN": "run", "TITLE": "title", "TAGS": "tags", "WHY": "why"}


def test_a_table_is_aligned_and_safe():
    lines = aligned(ROWS, COLUMNS).splitlines()
    assert lines[0].split() == ["RUN", "TITLE", "TAGS", "WHY"]
    assert lines[1].startswith("run-1   slow \\x1b[31mcheckout\\u202e  a, b ")
    assert lines[2].endswith("a, b, c, d, 4 more  x")
    assert lines[0].index("TAGS") == lines[1].index("a, b") == lines[2].index("a, b")


def test_json_and_yaml_hold_the_same(capsys):
    show_list("runs", ROWS, COLUMNS, "json")
    as_json = capsys.readouterr().out
    show_list("runs", ROWS, COLUMNS, "yaml")
    as_yaml = capsys.readouterr().out
    assert json.loads(as_json) == YAML(typ="safe").load(as_yaml) == {"schema": 1, "runs": ROWS}
    assert "\x1b" not in as_json + as_yaml
    assert "\u202e" not in as_json + as_yaml


def test_an_empty_list_says_what_to_do(capsys):
    show_list("runs", [], COLUMNS, "table", empty="no runs yet")
    assert capsys.readouterr().out == "no runs yet\n"
    show_list("runs", [], COLUMNS, "json")
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "runs": []}
