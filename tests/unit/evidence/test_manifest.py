"""incident.yaml is data: bounded, without tags, and wrong fields are named with their line."""

from datetime import UTC, datetime

import pytest

from leadline.contracts.errors import BundleError
from leadline.evidence.bundle.manifest import read_incident

HEAD = "schema: 1\nid: inc-1\ntitle: slow\n"


def test_every_field_of_the_format(make_bundle) -> None:
    text = HEAD + (
        "window: {start: 2026-07-11T12:00:00Z, end: 2026-07-11T14:10:00+02:00}\n"
        "baseline: {start: 2026-07-10T12:00:00Z, end: 2026-07-10T13:00:00Z}\n"
        "alerts:\n  - {service: db, metric: cpu, fired_at: 2026-07-11T11:00:00Z, severity: high, summary: hot, labels: {team: 7, on: no}}\n"
        "services: [db, web]\nquestion: what broke?\n"
        "answer_space: {causes: [{kind: component, ref: app/email}], kinds: [service, change], reasons: [oom_killed]}\n"
    )
    text = text.replace("2026-07-11T14:10:00+02:00", "2026-07-11T16:10:00+02:00")
    incident = read_incident(make_bundle(incident=text))
    assert incident.window is not None
    assert incident.window.end == datetime(2026, 7, 11, 14, 10, tzinfo=UTC)
    assert incident.baseline is not None
    assert incident.alerts[0].severity == "critical"
    assert incident.alerts[0].labels == {"team": "7", "on": "no"}
    assert incident.answer_space.causes[0].ref == "app/email"
    assert incident.answer_space.reasons == ("oom_killed",)


def test_the_smallest_incident(make_bundle) -> None:
    incident = read_incident(make_bundle(incident="schema: 1\nid: 42\ntitle: slow\nalerts:\nwindow:\n"))
    assert incident.id == "42"
    assert incident.alerts == ()
    assert incident.window is None


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("schema: 1\nid: x\n", 1, "title"),
        (HEAD + "windw: 1\n", 4, "windw"),
        ("schema: 2\nid: x\ntitle: y\n", 1, "schema"),
        (HEAD + "window: {start: 2026-07-11T12:00:00, end: 2026-07-11T13:00:00Z}\n", 4, "timezone"),
        (HEAD + "window:\n  start: 2026-07-11T12:00:00Z\n  end: 2026-07-11T11:00:00Z\n", 5, "ends"),
        (HEAD + "alerts:\n  - service: a\n  - severity: purple\n", 6, "severity"),
        (HEAD + "alerts: [1, 2\n", 5, "not YAML"),
        (HEAD + "id: again\n", 0, ""),
        ("- a\n- b\n", 1, "no fields"),
        ("", 1, "no fields"),
        (HEAD + "question: !!python/object/apply:os.getcwd []\n", 4, "tag"),
        (HEAD + "question: !custom x\n", 4, "tag"),
        (HEAD + "question: \x07\n", 0, "not YAML"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_with_its_line(make_bundle, text: str, line: int, why: str) -> None:
    with pytest.raises(BundleError) as refused:
        read_incident(make_bundle(incident=text))
    assert "incident.yaml" in refused.value.what
    assert why in refused.value.why
    if line:
        assert f"line {line}" in refused.value.what


def test_an_alias_bomb_stops_early(make_bundle) -> None:
    levels = ["a: &a [x, x, x, x, x, x, x, x, x]"] + [
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    with pytest.raises(BundleError, match="too many"):
        read_incident(make_bundle(incident="\n".join(levels)))


def test_deep_nesting_is_refused(make_bundle) -> None:
    with pytest.raises(BundleError):
        read_incident(make_bundle(incident=HEAD + "question: " + "[" * 3000))


def test_bytes_that_are_no_utf8_are_named(make_bundle) -> None:
    root = make_bundle()
    (root / "incident.yaml").write_bytes(b"id: \xff\n")
    with pytest.raises(BundleError, match="no UTF-8"):
        read_incident(root)


def test_an_incident_file_of_megabytes_is_refused(make_bundle) -> None:
    with pytest.raises(BundleError, match="1 MiB"):
        read_incident(make_bundle(incident=HEAD + "#" * (1 << 20)))
