"""Recorded outputs tell what is wrong in their own words; guides do not, and what was not collected is no evidence."""

import pytest

from leadline.evidence.ranking.taxonomy import listed_name
from tests.unit.evidence.asking import ask

LOG = (
    "2026-03-14 [ERROR] gate - user u1 from 10.0.0.1: certificate expired - id 11\n"
    "2026-03-14 [ERROR] gate - user u2 from 10.0.0.2: certificate expired - id 12\n"
    "2026-03-14 [INFO] gate - errors: 0\n"
)
TREE = "root\n ├─ GET /pay (front) - 900.10ms\n │  ├─ charge (bank) - 880.00ms\n │  │  ├─ pg.query (bank) - 850.00ms\n"


async def test_lines_that_differ_in_numbers_count_once(opened) -> None:
    facts = (await ask(opened({"documents/gate.txt": LOG}), "document_lines")).facts
    assert [(f.subject.ref, f.object, f.relation) for f in facts] == [("gate.txt", "error", "states")]
    assert "certificate expired" in facts[0].quote


async def test_guides_and_pages_from_the_web_are_left_out(opened) -> None:
    files = {"documents/web/page.txt": LOG, "documents/runbook.md": "If the disk failed, replace it\n"}
    assert (await ask(opened(files), "document_lines")).status == "empty"
    assert (await ask(opened(files), "document_faults")).status == "empty"


async def test_what_could_not_be_collected_is_said_as_that(opened) -> None:
    text = "00_get_pods: failed: command failed with return code 1\n01_fetch_logs: empty: none\n"
    facts = (await ask(opened({"documents/collection_status.txt": text}), "document_lines")).facts
    assert [(f.object, f.relation, f.strength) for f in facts] == [
        ("empty", "unchanged", 0.3),
        ("uncollected", "states", 0.2),
    ]


async def test_events_of_long_ago_are_over(opened) -> None:
    text = "  Warning  NodeNotReady  54m  node-controller  Node is not ready: failed\n"
    assert (await ask(opened({"documents/pod.txt": text}), "document_lines")).status == "empty"


async def test_the_span_that_holds_the_time_is_named(opened) -> None:
    facts = (await ask(opened({"documents/trace.txt": TREE}), "document_lines")).facts
    assert facts[0].quote == "bank: slow database query: pg.query took 850.00 ms of 900.1 ms"


async def test_the_fault_is_laid_to_what_was_asked_about(opened) -> None:
    files = {
        "documents/logs.txt": "boot\nEnvironment variable REGION is undefined\n",
        "documents/ship-it.txt": "ship-it is up\n",
    }
    incident = 'schema: 1\nid: inc-1\ntitle: "what is wrong with ship-it?"\n'
    facts = (await ask(opened(files, incident=incident), "document_faults")).facts
    assert [(f.subject.ref, f.object) for f in facts] == [("ship-it", "environment_variable_missing")]


COARSE = (
    "code_defect",
    "configuration_error",
    "data_quality",
    "dependency_failure",
    "infrastructure",
    "resource_exhaustion",
)


@pytest.mark.parametrize(
    ("name", "listed", "expected"),
    [
        ("oom_killed", COARSE, "resource_exhaustion"),
        ("image_not_found", COARSE, "configuration_error"),
        ("kubelet_unavailable", COARSE, "infrastructure"),
        ("provider_outage", COARSE, "dependency_failure"),
        ("bad_input_data", COARSE, "data_quality"),
        ("nil_dereference", COARSE, "code_defect"),
        ("crash_loop", ("cpu_capacity_mismatch", "missing_secret_binding"), ""),
        ("service_selector_mismatch", ("service_selector_mismatch", *COARSE), "service_selector_mismatch"),
        ("no_such_kind", COARSE, ""),
    ],
)  # fmt: skip
def test_a_coarse_list_is_answered_by_class(name: str, listed: tuple[str, ...], expected: str) -> None:
    assert listed_name(name, listed) == expected
