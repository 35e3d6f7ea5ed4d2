"""Actions on the command line, on the shipped incident and the shipped catalog, which only pretends."""

import json

import pytest

from leadline.app.cli.main import run
from leadline.examples import DEMO


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    return tmp_path_factory.mktemp("actions") / "leadline.db"


@pytest.fixture
def call(capsys, database):
    def called(*arguments):
        code = run(["--database", str(database), "-q", *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return called


@pytest.fixture
def waiting(call):
    """A run that asks about one action: its id, the question, the command."""
    code, out, _ = call("investigate", DEMO, "--model", "rules", "--act", "--no-wait", "-o", "json")
    assert code == 5
    told = json.loads(out)
    return told["run"], told["waiting"], told["waiting"]["content"]["command"]["command_id"]


def test_an_action_is_shown_approved_by_its_digest_and_reported(call, waiting):
    name, asked, command = waiting
    code, out, _ = call("actions", name)
    assert code == 0
    digest = asked["subject_digest"][:8]
    assert f"leadline approve {name} {command} --digest {digest}" in out
    code, out, err = call("approve", name, "--digest", digest, "--reason", "looks right", "-o", "json")
    assert code == 0, err
    (done,) = json.loads(out)["actions"]
    assert (done["state"], done["simulated"], done["undoes"]) == ("succeeded", True, "")
    code, out, _ = call("actions", name, "-o", "json")
    (row,) = json.loads(out)["actions"]
    assert row["decision"].endswith(": looks right")
    assert row["receipts"][0]["source"] == "response"
    code, _, err = call("approve", name, command, "--digest", digest)
    assert code == 2
    assert "approved by" in err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), "nobody has looked"),
        (("--digest", "0000"), "its digest begins otherwise"),
        (("--digest", ""), "too short"),
        (("cmd-0", "--digest", "0000"), "never asked about"),
    ],
    ids=["unseen", "another digest", "no digest", "another command"],
)
def test_nothing_is_approved_that_was_not_looked_at(call, waiting, options, why):
    name, asked, _ = waiting
    code, _, err = call("approve", name, *options)
    assert code == 2
    assert why in err
    assert asked["subject_digest"][:8] not in err
    _, out, _ = call("actions", name, "-o", "json")
    assert json.loads(out)["actions"][0]["state"] == "proposed"


def test_a_rejection_needs_a_reason_and_the_run_goes_on(call, waiting):
    name, _, command = waiting
    code, _, err = call("reject", name)
    assert code == 2
    assert "needs a reason" in err
    code, out, _ = call("reject", name, command, "--reason", "not today", "-o", "json")
    assert code == 0
    (done,) = json.loads(out)["actions"]
    assert done["state"] == "denied"
    assert "not today" in done["reason"]


def test_an_undo_is_asked_for_and_done(call, waiting):
    name, asked, command = waiting
    call("approve", name, "--digest", asked["subject_digest"][:8])
    code, out, _ = call("undo", name, command)
    assert code == 5
    assert f"compensates: {command}" in out
    digest = out.partition("--digest ")[2].split()[0]
    code, out, _ = call("approve", name, "--digest", digest, "-o", "json")
    assert code == 0
    first, undo = json.loads(out)["actions"]
    assert (undo["kind"], undo["undoes"], first["undone_by"]) == ("roll-forward", command, undo["command"])


def test_what_cannot_be_is_told(call, waiting):
    name, _, command = waiting
    code, _, err = call("reconcile", name, command)
    assert code == 2
    assert "it is proposed" in err
    code, _, err = call("reconcile", name, "--done", "--not-done")
    assert code == 2
    code, _, err = call("undo", name, command)
    assert code == 2
    assert "is not over" in err


def test_a_run_that_only_advises_has_none(call):
    code, out, _ = call("investigate", DEMO, "--model", "rules", "-o", "json")
    name = json.loads(out)["run"]
    assert json.loads(out)["actions"] == []
    code, out, _ = call("actions", name)
    assert (code, out.strip()) == (0, "no actions in this run; its mode is off")


def test_a_catalog_with_a_fault_is_refused_before_the_run_begins(call, tmp_path):
    bad = tmp_path / "actions.yaml"
    bad.write_text("name: t\nkinds:\n  - {kind: a, title: A, effect: none, risk: low}\n")
    _, before, _ = call("runs", "-o", "json")
    code, _, err = call("investigate", DEMO, "--model", "rules", "--act", "--catalog", bad)
    assert code == 2
    assert f"{bad} line 3: kinds.0.effect" in err
    assert call("runs", "-o", "json")[1] == before
