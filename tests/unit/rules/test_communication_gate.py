"""One gate: what passes, and of what is refused the reason."""

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from leadline.contracts.base import AgentId
from leadline.contracts.message import KINDS, AgentMessage, Draft, MailboxMessage, MessagePolicy
from leadline.contracts.message_payload import (
    DecisionRecorded,
    DependencyAnswer,
    HandoffAccepted,
    HandoffRequested,
    Progress,
    ReviewRequested,
    ReviewResult,
    TaskAssigned,
)
from leadline.contracts.task import CommunicationPolicy, Scope
from leadline.contracts.team import Topology
from leadline.rules.communication.kinds import RULES
from leadline.rules.communication.matrix import DECIDES, MATRIX, OCCASIONS
from leadline.rules.communication.relations import Relation, relation_of, tied
from tests.doubles.letters import (
    ANSWER,
    CHANGES,
    CLARIFICATION,
    GOOD,
    LOGS,
    NODES,
    NOON,
    TIGHT,
    context,
    draft,
    message,
    plan,
    question,
    reason,
    team,
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_of_every_kind_can_be_sent_on_the_bus(kind: str) -> None:
    assert reason(GOOD[kind]) == ""


def test_tables_are_whole() -> None:
    topologies = set(get_args(Topology))
    assert set(RULES) == set(KINDS)
    assert set(MATRIX) == set(get_args(Relation))
    assert all(set(row) == topologies for row in (*MATRIX.values(), *DECIDES.values()))
    assert {k for kinds in OCCASIONS.values() for k in kinds} <= set(KINDS)
    assert all(way.is_open or way.instead for row in MATRIX.values() for way in row.values())


class TestTheMatrix:
    """Rows of the document's table, both ends."""

    @pytest.mark.parametrize(
        ("topology", "by", "to", "is_open"),
        [
            ("star", "log_reader", "change_reader", False),
            ("controlled_bus", "log_reader", "change_reader", True),
            ("hierarchical", "log_reader", "node_reader", True),
            ("hierarchical", "log_reader", "change_reader", False),
            ("hierarchical", "log_reader", "telemetry_lead", True),
            ("hierarchical", "log_reader", "change_lead", False),
            ("hierarchical", "log_reader", "lead", False),
            ("hierarchical", "telemetry_lead", "change_lead", True),
            ("hierarchical", "telemetry_lead", "lead", True),
            ("star", "log_reader", "lead", True),
            ("single", "log_reader", "lead", True),
            ("single", "log_reader", "change_reader", False),
            ("star", "lead", "user", True),
            ("star", "log_reader", "user", False),
        ],
    )
    def test_a_way_is_open_or_not(self, topology: str, by: str, to: str, *, is_open: bool) -> None:
        relation = relation_of(AgentId(by), AgentId(to), plan()[LOGS], team(topology))
        assert MATRIX[relation][topology].is_open is is_open  # type: ignore[index]
        assert relation == relation_of(AgentId(to), AgentId(by), plan()[LOGS], team(topology))

    def test_a_star_sends_peers_to_the_lead(self) -> None:
        assert "ask the lead" in reason(question(), context("star"))

    def test_a_hierarchy_sends_other_domains_to_their_lead(self) -> None:
        assert "domain's lead" in reason(question(), context("hierarchical"))

    def test_nobody_writes_to_himself(self) -> None:
        assert "oneself" in reason(question(to="log_reader"))


class TestWhoMaySayWhat:
    def test_unknown_names(self) -> None:
        assert "nobody here is called mallory" in reason(question(to="mallory"))
        assert "no task tsk-x" in reason(question(related_task_ids=("tsk-x",)))

    @pytest.mark.parametrize("kind", ["task_assigned", "decision_recorded", "handoff_accepted", "revision_requested"])
    def test_a_worker_cannot_speak_as_a_lead(self, kind: str) -> None:
        said = GOOD[kind].model_copy(update={"from_agent": AgentId("log_reader"), "to_agent": AgentId("change_reader")})
        assert reason(said) != ""

    def test_a_private_hand_over_is_refused(self) -> None:
        asked = draft(HandoffRequested(reason="you do it"), "log_reader", "change_reader", related_task_ids=(CHANGES,))
        assert reason(asked) == "handoff_requested is nothing for change_reader"
        taken = draft(
            HandoffAccepted(assignment_id="asg-1", new_owner=AgentId("change_reader")), "change_reader", "log_reader",
            CHANGES, context_refs=("asg-1",),
        )  # fmt: skip
        assert "only a lead" in reason(taken)

    @pytest.mark.parametrize(
        ("flag", "why"),
        [
            ("can_transfer_ownership", "no message moves a task"),
            ("can_modify_task_state", "no message changes a task's state"),
            ("can_create_task", "cannot create a task"),
        ],
    )
    def test_no_message_moves_changes_or_makes_a_task(self, flag: str, why: str) -> None:
        assert why in reason(question(policy=MessagePolicy.model_validate({flag: True})))

    def test_a_task_is_asked_for_at_the_lead_alone(self) -> None:
        wish = GOOD["subtask_requested"].model_copy(update={"to_agent": AgentId("change_lead")})
        assert "lead alone" in reason(wish, context("hierarchical"))

    def test_a_stranger_to_the_task_is_refused(self) -> None:
        assert "nothing to do with task" in reason(question(by="outsider"))

    def test_peers_need_tasks_that_depend_on_each_other(self) -> None:
        assert "do not depend" in reason(question(to="node_reader", related_task_ids=(NODES,)))
        assert "names no task" in reason(question(related_task_ids=()))

    def test_the_receiver_must_have_the_related_task(self) -> None:
        assert "has nothing to do with it" in reason(question(to="node_reader"))

    def test_the_task_may_forbid_asking_and_contacting(self) -> None:
        silent = CommunicationPolicy(may_ask=False, may_contact_others=True)
        assert "does not let it ask" in reason(question(), context(communication_policy=silent))
        assert "contact others" in reason(question(), context(communication_policy=CommunicationPolicy()))

    def test_tasks_are_tied_directly_far_or_through_a_third(self) -> None:
        tasks = plan()
        assert tied(LOGS, CHANGES, tasks)
        assert tied(CHANGES, LOGS, tasks)
        assert not tied(LOGS, NODES, tasks)
        both = tasks[CHANGES].spec.model_copy(update={"dependencies": (LOGS, NODES)})
        assert tied(LOGS, NODES, tasks | {CHANGES: tasks[CHANGES].model_copy(update={"spec": both})})


class TestBroadcast:
    @staticmethod
    def told(by: str = "lead", **more: Any) -> Draft:
        said = DecisionRecorded(decision_id="dec-1", decision="stop")
        return draft(said, by, None, None, **{"context_refs": ("dec-1",), "broadcast_as": "major_decision", **more})

    def test_a_lead_may_where_the_budget_has_one(self) -> None:
        within = context()
        assert "0 broadcasts" in reason(self.told(), within)
        rich = within.team.model_copy(update={"budget": within.team.budget.model_copy(update={"broadcasts": 1})})
        assert reason(self.told(), within._replace(team=rich)) == ""

    def test_a_worker_may_not(self) -> None:
        assert "only a lead speaks to all" in reason(self.told(by="log_reader"))

    def test_only_on_the_five_occasions_and_with_what_they_carry(self) -> None:
        assert "five occasions" in reason(self.told(broadcast_as=None))
        assert "no critical_blocker" in reason(self.told(broadcast_as="critical_blocker"))

    def test_not_in_a_star(self) -> None:
        assert "write to each agent" in reason(self.told(), context("star"))


class TestReferencesInsteadOfContents:
    @pytest.mark.parametrize("kind", [k for k in KINDS if RULES[k].refs])
    def test_refs_are_required_by_kind(self, kind: str) -> None:
        bare = GOOD[kind].model_copy(update=dict.fromkeys(RULES[kind].refs, ()))  # type: ignore[index]
        assert f"a {kind} needs" in reason(bare)

    def test_a_fact_needs_evidence_and_a_guess_says_so(self) -> None:
        bare = GOOD["dependency_answer"].model_copy(update={"evidence_refs": ()})
        assert "a guess" in reason(bare)
        guess = DependencyAnswer(question_id="msg-1", answer="nothing speaks of it", confidence=0.0)
        assert reason(bare.model_copy(update={"payload": guess})) == ""

    def test_a_review_needs_a_checklist_or_a_focus(self) -> None:
        bare = GOOD["review_requested"].model_copy(update={"payload": ReviewRequested(artifact_ref="rep-1")})
        assert "checklist or a focus" in reason(bare)

    @pytest.mark.parametrize(
        ("text", "why"), [("a\nb", "copies lines"), ("a\rb", "copies lines"), ("\x1b[2J", "control characters")]
    )
    def test_lines_of_telemetry_are_refused(self, text: str, why: str) -> None:
        assert why in reason(question(text=text))

    def test_a_payload_has_a_size(self) -> None:
        long = Progress(findings=("x" * 400,) * 5, blockers=("y" * 400,) * 5, risks=("z" * 400,) * 5, next_step="w")
        assert "bytes, 4000 at most" in reason(draft(long, "log_reader", "lead"))

    def test_progress_without_anything_new_is_refused(self) -> None:
        assert "nothing new" in reason(draft(Progress(next_step="go on"), "log_reader", "lead"))

    def test_texts_are_short(self) -> None:
        with pytest.raises(ValidationError):
            question(text="x" * 401)


class TestReaders:
    def test_data_of_a_higher_class_stays_where_it_may_be_seen(self) -> None:
        assert "may not see restricted data" in reason(
            question(), context(scope=Scope(data_classification="restricted"))
        )

    def test_what_is_for_the_lead_reaches_no_peer(self) -> None:
        assert "only the lead" in reason(question(policy=MessagePolicy(max_visibility="lead_only")))
        assert "only verifier" in reason(question(policy=MessagePolicy(max_visibility="verifier")))
        assert "only a person" in reason(question(policy=MessagePolicy(max_visibility="human")))

    def test_a_mailbox_shows_who_else_may_read_it(self) -> None:
        seen = MailboxMessage.of(message(question()))
        assert (seen.visibility.visible_to_lead, seen.visibility.visible_to_verifier) == (True, True)
        assert seen.payload.kind == "dependency_question"

    def test_a_broadcast_is_in_no_mailbox(self) -> None:
        with pytest.raises(ValueError, match="everybody"):
            MailboxMessage.of(message(TestBroadcast.told()))


class TestBudgets:
    def test_messages_are_counted_by_task(self) -> None:
        sent = tuple(message(question(text=f"q{n}")) for n in range(2))
        assert reason(question(text="q3"), context(messages=sent, budget=TIGHT)) == "its budget of 2 messages is spent"
        assert reason(GOOD["dependency_answer"], context(messages=sent, budget=TIGHT)) == ""

    def test_clarifications_and_reviews_have_rounds(self) -> None:
        first = draft(CLARIFICATION, "log_reader", "lead", context_refs=("clm-1",))
        again = first.model_copy(update={"context_refs": ("clm-2",), "summary": "again"})
        other = CLARIFICATION.model_copy(update={"question": "And which host?"})
        within = context(messages=(message(first),), budget=TIGHT)
        assert "says again" in reason(again, within)
        assert "1 clarification rounds" in reason(first.model_copy(update={"payload": other}), within)
        reviewed = GOOD["review_requested"]
        more = reviewed.payload.model_copy(update={"focus": ("numbers",)})
        within = context(messages=(message(reviewed),), budget=TIGHT)
        assert "1 review rounds" in reason(reviewed.model_copy(update={"payload": more}), within)

    def test_waiting_has_a_budget(self) -> None:
        waits = question(blocking=True, expected_response=ANSWER)
        within = context(messages=(message(waits),), budget=TIGHT.model_copy(update={"messages": 9}))
        again = question(text="and then?", blocking=True, expected_response=ANSWER)
        assert "60 s of waiting" in reason(again, within)
        assert reason(question(text="no hurry", expected_response=ANSWER), within) == ""

    def test_nothing_is_said_twice(self) -> None:
        assert "says again" in reason(question(), context(messages=(message(question()),)))

    def test_a_flood_ends_with_the_budget(self) -> None:
        within = context()
        refused = 0
        for n in range(100):
            asked = message(question(text=f"q{n}"))
            if reason(question(text=f"q{n}"), within):
                refused += 1
            else:
                within.traffic.add(asked)
        assert refused == 80

    def test_a_loop_of_answers_ends_with_its_thread(self) -> None:
        within, thread, said = context(), message(question()).thread_id, 0
        within.traffic.add(message(question()))
        for n in range(50):
            there = n % 2 == 0
            by, to, about, other = (
                ("change_reader", "log_reader", CHANGES, LOGS)
                if there
                else ("log_reader", "change_reader", LOGS, CHANGES)
            )
            back = draft(
                DependencyAnswer(question_id="msg-1", answer=f"no, you {n}", confidence=0.0), by, to, about,
                related_task_ids=(other,), thread_id=thread,
            )  # fmt: skip
            if not reason(back, within):
                said += 1
                within.traffic.add(message(back))
        assert said == 7


class TestTheRecord:
    def test_a_payload_must_be_of_its_kind(self) -> None:
        good = message(question())
        with pytest.raises(ValidationError, match="cannot carry"):
            AgentMessage.model_validate(good.model_dump() | {"kind": "review_result"})

    def test_unknown_fields_are_refused(self) -> None:
        with pytest.raises(ValidationError):
            ReviewResult.model_validate({"artifact_ref": "a", "status": "approved", "merge": True})

    def test_it_survives_the_store(self) -> None:
        for one in GOOD.values():
            sent = message(one)
            assert AgentMessage.model_validate_json(sent.model_dump_json()) == sent
            assert sent.created_at == NOON

    def test_ids_follow_from_what_is_said(self) -> None:
        assert message(question()).message_id == message(question()).message_id
        assert message(question()).message_id != message(question(text="other?")).message_id

    def test_an_assignment_on_the_bus_stands_on_the_board(self) -> None:
        said = draft(
            TaskAssigned(delegation_id="d", contract_version="1", objective="o", attempt=1), "lead", "log_reader",
            context_refs=("d",),
        )  # fmt: skip
        assert message(said).channel == "taskboard"
        assert message(said, "star").channel == "lead_channel"
