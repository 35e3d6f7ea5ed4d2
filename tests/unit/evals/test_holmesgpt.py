"""HolmesGPT fixtures: the body decides whether an output can be trusted, whatever its header says."""

import json

import pytest

from leadline.evals.formats.holmesgpt import HolmesGpt

CRASH = "Name: mail-1\nStatus: Running\n    State:  Waiting\n      Reason:  CrashLoopBackOff\n"


def _output(folder, number, tool, body, *, status="success", code=0, params=None, claimed=None):
    head = {"toolset_name": "k", "tool_name": tool} | ({"match_params": params} if params else {})
    result = {"status": status, "return_code": code, "error": None, "params": claimed or {}}
    path = folder / "outputs" / f"{number:02d}_{tool}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([json.dumps(head), json.dumps(result), body]), encoding="utf-8")


@pytest.fixture
def folder(tmp_path, write_json):
    folder = tmp_path / "src" / "mail_blown_by_memory"
    write_json(
        folder / "expected.json", {"question": None, "expected_output": ["Pod `mail` is OOM killed"], "tags": ["easy"]}
    )
    write_json(folder / "alert.json", {"title": "Pod restarts", "description": "mail-1 restarts",
               "subject": {"name": "mail-1", "namespace": "post", "node": None}})  # fmt: skip
    return folder


@pytest.fixture
def imported(folder, tmp_path, only_case):
    def run():
        summary = HolmesGpt().import_all(tmp_path / "src", tmp_path / "out")
        return summary, only_case(tmp_path / "out")

    return run


@pytest.mark.parametrize(
    ("body", "status", "code", "seen"),
    [
        ("Command `kubectl top pods` failed with return code 1\nstderr:\nno metrics", "success", 0, "failed"),
        ("stdout:\nError from server (NotFound): pods not found", "success", 0, "failed"),
        ("error: 'no finding'", "success", 0, "failed"),
        ("fine", "error", 1, "failed"),
        ("stdout:\n\nstderr:\n", "success", 0, "empty"),
        ("", "no_data", 0, "empty"),
        ("line\n" * 200 + "job failed with return code 1", "success", 0, "ok"),
    ],
    ids=[
        "command-failed",
        "not-found",
        "quoted-error",
        "header-error",
        "blank",
        "no-data",
        "log-that-speaks-of-failure",
    ],
)
def test_the_body_has_the_last_word(folder, imported, rows, body, status, code, seen):
    _output(folder, 0, "kubectl_top", body, status=status, code=code)

    _, case = imported()

    told = (case.bundle / "documents" / "collection_status.txt").read_text()
    assert told.split(": ")[:2] == ["00_kubectl_top", seen] or told == f"00_kubectl_top: {seen}\n"
    assert (case.bundle / "documents" / "00_kubectl_top.txt").exists() == (seen == "ok")


def test_a_success_that_failed_is_counted(folder, imported):
    _output(folder, 0, "a", "Command `x` failed with return code 1")
    _output(folder, 1, "b", "all well")

    assert imported()[0].notes == ("holmesgpt-0001: 1 outputs say success but failed",)


def test_one_answer_recorded_often_is_one_document_and_one_set_of_lines(folder, imported, rows):
    line = "2026-01-01T10:00:00Z ERROR pool exhausted"
    for number in range(3):
        _output(folder, number, "fetch_pod_logs", line, params={"pod_name": "mail-7d9f8c4b-xk2p9"})
    _output(folder, 3, "previous_logs", line + "\nand more", params={"pod_name": "mail-7d9f8c4b-xk2p9"})

    _, case = imported()

    assert len(list((case.bundle / "documents").glob("0*"))) == 2
    assert [(r["service"], r["severity"], r["body"]) for r in rows(case, "logs")] == [
        ("mail", "", "and more"),
        ("mail", "ERROR", line),
    ]


def test_a_header_without_parameters_is_read(folder, imported, rows):
    _output(folder, 0, "kubectl_describe", CRASH, claimed={"kind": "pod", "name": "mail-1", "namespace": "post"})

    _, case = imported()

    assert [
        (r["kind"], r["name"], r["status"], r["namespace"]) for r in rows(case, "resources") if r["kind"] == "pod"
    ] == [("pod", "mail-1", "CrashLoopBackOff", "post")]


def test_listed_objects_become_states(folder, imported, rows):
    _output(
        folder,
        0,
        "kubectl_get",
        "stdout:\nNAME    STATUS\nmail-1  Pending\n",
        params={"kind": "pod", "namespace": "post"},
    )

    _, case = imported()

    assert ("pod", "mail-1", "Pending") in {(r["kind"], r["name"], r["status"]) for r in rows(case, "resources")}


def test_structured_lines_tell_time_and_level(folder, imported, rows):
    _output(folder, 0, "pod_logs", '{"level":50,"time":1743577959399,"msg":"no"}', params={"pod_name": "mail-1"})

    _, case = imported()

    assert [(r["severity"], round(r["ts"].timestamp(), 3)) for r in rows(case, "logs")] == [("ERROR", 1743577959.399)]


def test_without_one_readable_output_nothing_can_be_concluded(folder, imported):
    _output(folder, 0, "find", "no", status="error", code=1)

    assert imported()[1].expected.outcome == "inconclusive"


def test_an_answer_that_says_there_is_none_is_no_incident(folder, imported, write_json):
    write_json(
        folder / "expected.json", {"question": "Any errors?", "expected_output": "No ERROR logs found", "tags": None}
    )
    _output(folder, 0, "find", "pod runs")

    assert imported()[1].expected.outcome == "no_incident"


def test_the_expected_answer_and_the_folders_name_stay_outside(folder, imported, bundle_text, incident):
    _output(folder, 0, "find", "pod runs")

    _, case = imported()

    assert "OOM" not in bundle_text(case)
    assert "blown" not in bundle_text(case)
    assert case.expected.facts == ("Pod `mail` is OOM killed",)
    assert incident(case)["alerts"][0]["labels"] == {"name": "mail-1", "namespace": "post"}


def test_transcripts_hold_observations_only(folder, imported, write_json, rows):
    write_json(folder / "observations.json", {"question": "Why 500?", "observations": [
        {"n": 2, "tool": "bash", "args": {"command": "kubectl logs mail-1 -n post"}, "output": "2026-01-01 10:00:00 WARN slow"}]})  # fmt: skip

    _, case = imported()

    assert [(r["instance"], r["severity"]) for r in rows(case, "logs")] == [("mail-1", "WARN")]


def test_the_real_fixtures_include_lying_headers(shared, tmp_path):
    summary = HolmesGpt().import_all(shared / "data" / "holmesgpt-fixtures", tmp_path / "out")

    assert summary.cases == 22
    assert sum(int(note.split(": ")[1].split()[0]) for note in summary.notes) == 9
