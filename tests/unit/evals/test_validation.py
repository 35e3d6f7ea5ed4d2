"""A data set is refused for leaks, duplicates, answers that cannot be given and missing files, each named."""

import duckdb
import pytest

from leadline.contracts.errors import DatasetError
from leadline.evals.dataset import load_dataset
from leadline.evals.expected import Expected, ExpectedCause, read_expected, write_expected
from leadline.evals.validation import check_dataset, require_valid

CAUSE = ExpectedCause(kind="component", ref="app/till", service="till", reason="cash_drawer_stuck")


@pytest.fixture
def make_case(tmp_path):
    def make(name="case-0001", *, incident="id: case-0001\ntitle: Till is slow\n", files=None, expected=None):
        bundle = tmp_path / "set" / name / "bundle"
        bundle.mkdir(parents=True)
        if incident is not None:
            (bundle / "incident.yaml").write_text(incident, encoding="utf-8")
        for path, text in (files or {"metrics.csv": f"ts,service\n1,{name}-x\n"}).items():
            (bundle / path).parent.mkdir(parents=True, exist_ok=True)
            (bundle / path).write_text(text, encoding="utf-8")
        if expected is not False:
            write_expected(
                bundle.parent / "expected.yaml", expected or Expected(outcome="cause_found", causes=(CAUSE,))
            )
        return bundle

    return make


def _problems(tmp_path):
    return [(p.case, p.file, p.kind) for p in check_dataset(tmp_path / "set")]


def test_a_sound_data_set_has_no_problem(make_case, tmp_path):
    make_case()
    make_case("case-0002")

    assert check_dataset(tmp_path / "set") == ()
    require_valid(tmp_path / "set")
    assert [case.name for case in load_dataset(tmp_path / "set")] == ["case-0001", "case-0002"]


@pytest.mark.parametrize(
    "name", ["ground_truth.json", "answer.yml", "documents/expected.txt", "solution/readme.md.txt"]
)
def test_a_file_that_holds_the_truth_by_name(make_case, tmp_path, name):
    make_case(files={name: "nothing"})

    found = _problems(tmp_path)
    assert [problem[2] for problem in found] == (["leak"] if not name.startswith("solution") else [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("logs.jsonl", '{"fault_type": "x"}'),
        ("logs.csv", "ts,root_cause\n1,2\n"),
        ("logs.txt", "the drawer: cash_drawer_stuck"),
        ("logs.txt", "inject_pod: till-1"),
    ],
    ids=["json-key", "csv-column", "fault-name", "label"],
)
def test_truth_inside_a_file(make_case, tmp_path, name, text):
    make_case(files={name: text})

    assert _problems(tmp_path) == [("case-0001", f"bundle/{name}", "leak")]


def test_a_truth_column_of_a_table(make_case, tmp_path):
    bundle = make_case()
    duckdb.sql("SELECT 1 AS ts, 'x' AS fault_type").write_parquet(str(bundle / "logs.parquet"))

    assert _problems(tmp_path) == [("case-0001", "bundle/logs.parquet", "leak")]


def test_the_answer_space_may_name_the_answer_but_the_title_may_not(make_case, tmp_path):
    make_case(incident="id: case-0001\ntitle: x\nanswer_space: {reasons: [cash_drawer_stuck, other]}\n")
    assert check_dataset(tmp_path / "set") == ()

    make_case("case-0002", incident="id: case-0002\ntitle: cash_drawer_stuck at the till\n")
    assert _problems(tmp_path) == [("case-0002", "bundle/incident.yaml", "leak")]


def test_a_case_whose_name_says_the_answer(make_case, tmp_path):
    make_case("cash_drawer_stuck-1", incident="id: x\ntitle: y\n")

    assert _problems(tmp_path) == [("cash_drawer_stuck-1", "bundle/incident.yaml", "leak")]


def test_a_speaking_case_name_inside_its_bundle(make_case, tmp_path):
    make_case("drawer-jam", incident="id: x\ntitle: y\n", files={"logs.txt": "scenario drawer-jam begins"})

    assert _problems(tmp_path) == [("drawer-jam", "bundle/logs.txt", "leak")]


def test_a_link_may_lead_to_the_truth(make_case, tmp_path):
    bundle = make_case()
    (bundle / "notes.txt").symlink_to(bundle.parent / "expected.yaml")

    assert _problems(tmp_path) == [("case-0001", "bundle/notes.txt", "leak")]


def test_the_same_data_twice(make_case, tmp_path):
    make_case(files={"metrics.csv": "ts\n1\n"})
    make_case("case-0002", incident="id: case-0002\ntitle: other\n", files={"metrics.csv": "ts\n1\n"})

    (problem,) = check_dataset(tmp_path / "set")
    assert str(problem) == "case-0002/bundle: duplicate: same data as case 'case-0001'"


@pytest.mark.parametrize(
    ("space", "what"),
    [
        ("{causes: [{kind: component, ref: app/belt}]}", "cause 'app/till' is not in the answer space"),
        ("{kinds: [change, none]}", "kind 'component' of cause 'app/till' is not in the answer space"),
        ("{reasons: [paper_out]}", "reason 'cash_drawer_stuck' is not in the answer space"),
    ],
)
def test_a_truth_that_the_answer_space_lacks(make_case, tmp_path, space, what):
    expected = Expected(outcome="cause_found", causes=(CAUSE,), judged_by=("ref", "reason"))
    make_case(incident=f"id: case-0001\ntitle: x\nanswer_space: {space}\n", expected=expected)

    (problem,) = check_dataset(tmp_path / "set")
    assert (problem.kind, problem.what) == ("unreachable", what)


def test_one_reachable_cause_is_enough_unless_all_are_asked_for(make_case, tmp_path):
    other = ExpectedCause(kind="component", ref="app/belt")
    space = "id: x\ntitle: x\nanswer_space: {causes: [{kind: component, ref: app/belt}]}\n"
    make_case(incident=space, expected=Expected(outcome="cause_found", causes=(CAUSE, other)))
    assert check_dataset(tmp_path / "set") == ()

    make_case("case-0002", incident=space, expected=Expected(outcome="cause_found", causes=(CAUSE, other), all_of=True))
    assert _problems(tmp_path) == [("case-0002", "expected.yaml", "unreachable")]


def test_missing_files(make_case, tmp_path):
    make_case(incident=None)
    make_case("case-0002", expected=False)
    make_case("case-0003", expected=Expected(outcome="cause_found", causes=(CAUSE,), required_evidence=("traces",)))

    assert _problems(tmp_path) == [
        ("case-0001", "bundle/incident.yaml", "missing"),
        ("case-0002", "expected.yaml", "missing"),
        ("case-0003", "bundle/traces", "missing"),
    ]


def test_an_expected_file_that_contradicts_itself(make_case, tmp_path):
    make_case(expected=Expected(outcome="cause_found", causes=(CAUSE,), forbidden=(CAUSE,)))
    make_case("case-0002", expected=Expected(outcome="cause_found"))
    make_case("case-0003", expected=Expected(outcome="inconclusive", healthy_control=True))

    assert [problem.what for problem in check_dataset(tmp_path / "set")] == [
        "both expected and forbidden: app/till",
        "outcome cause_found, but neither causes nor facts",
        "a healthy control whose outcome is not no_incident",
    ]


def test_an_unreadable_expected_file_names_case_and_field(make_case, tmp_path):
    bundle = make_case()
    (bundle.parent / "expected.yaml").write_text("schema: 1\noutcome: solved\n")

    with pytest.raises(DatasetError, match=r"case 'case-0001'.*outcome"):
        load_dataset(tmp_path / "set")
    with pytest.raises(DatasetError, match="cannot be trusted"):
        require_valid(tmp_path / "set")


def test_expected_survives_the_file(tmp_path):
    expected = Expected(
        outcome="cause_found", causes=(CAUSE,), facts=("a: b",), official={"n": 1, "list": ["x"]}, tags={"tier": "hard"}
    )
    write_expected(tmp_path / "expected.yaml", expected)

    assert read_expected(tmp_path / "expected.yaml") == expected
    assert (tmp_path / "expected.yaml").read_text().startswith("schema: 1\n")


def test_the_answer_space_tells_how_many_answers_were_possible(make_case, tmp_path):
    space = "answer_space: {causes: [{kind: component, ref: app/till}, {kind: component, ref: app/belt}]}\n"
    make_case(incident=f"id: case-0001\ntitle: x\n{space}")
    make_case("case-0002")

    assert [case.expected.candidates for case in load_dataset(tmp_path / "set")] == [2, None]


def test_cases_are_chosen_by_tag(make_case, tmp_path):
    make_case(expected=Expected(outcome="cause_found", causes=(CAUSE,), tags={"split": "dev"}))
    make_case("case-0002")

    assert [case.name for case in load_dataset(tmp_path / "set", tags={"split": "dev"})] == ["case-0001"]
    with pytest.raises(DatasetError, match="split=test"):
        load_dataset(tmp_path / "set", tags={"split": "test"})


def test_a_folder_without_cases_is_no_data_set(tmp_path):
    (tmp_path / "x").mkdir()

    with pytest.raises(DatasetError, match="no case in"):
        load_dataset(tmp_path)
    with pytest.raises(DatasetError, match="no data set at"):
        load_dataset(tmp_path / "nowhere")
