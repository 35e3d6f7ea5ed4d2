"""Which ways are open in which topology: the user's table of relations (docs/team-protocol.md), as data."""

from typing import Literal, NamedTuple

from ...contracts.message import Occasion
from ...contracts.team import Topology
from .relations import Relation, Role


class Way(NamedTuple):
    """Whether a relation may be used, and if not, what to do instead."""

    is_open: bool
    instead: str = ""


OPEN = Way(is_open=True)
BY_LEAD = Way(is_open=False, instead="ask the lead, which may pass it on")
BY_DOMAIN_LEAD = Way(is_open=False, instead="go by way of the domain's lead")
NONE = Way(is_open=False, instead="there is no such party in this topology")

MATRIX: dict[Relation, dict[Topology, Way]] = {
    "user_lead": dict.fromkeys(("single", "star", "controlled_bus", "hierarchical"), OPEN),
    "lead_agent": dict.fromkeys(("single", "star", "controlled_bus", "hierarchical"), OPEN),
    "lead_verifier": dict.fromkeys(("single", "star", "controlled_bus", "hierarchical"), OPEN),
    "verifier_agent": dict.fromkeys(("single", "star", "controlled_bus", "hierarchical"), OPEN),
    "peers": {"single": NONE, "star": BY_LEAD, "controlled_bus": OPEN, "hierarchical": OPEN},
    "peers_across": {"single": NONE, "star": BY_LEAD, "controlled_bus": OPEN, "hierarchical": BY_DOMAIN_LEAD},
    "domain_lead_root": {"single": NONE, "star": NONE, "controlled_bus": OPEN, "hierarchical": OPEN},
    "domain_leads": {"single": NONE, "star": NONE, "controlled_bus": OPEN, "hierarchical": OPEN},
    "over_a_lead": {"single": NONE, "star": NONE, "controlled_bus": NONE, "hierarchical": BY_DOMAIN_LEAD},
    "user_agent": dict.fromkeys(("single", "star", "controlled_bus", "hierarchical"), BY_LEAD),
    "broadcast": {
        "single": NONE,
        "star": Way(is_open=False, instead="write to each agent that it concerns"),
        "controlled_bus": OPEN,
        "hierarchical": OPEN,
    },
    "oneself": dict.fromkeys(
        ("single", "star", "controlled_bus", "hierarchical"), Way(is_open=False, instead="keep it in the report")
    ),
}
OCCASIONS: dict[Occasion, frozenset[str]] = {
    "mission_update": frozenset({"decision_recorded"}),
    "global_constraint_change": frozenset({"decision_recorded"}),
    "critical_blocker": frozenset({"blocker_raised"}),
    "major_decision": frozenset({"decision_recorded"}),
    "security_warning": frozenset({"conflict_notice", "blocker_raised"}),
}
"""What a broadcast on each of the five occasions may carry."""

Matter = Literal["ownership", "conflict", "merge"]
DECIDES: dict[Matter, dict[Topology, frozenset[Role]]] = {
    "ownership": {
        "single": frozenset({"root_lead"}), "star": frozenset({"root_lead"}),
        "controlled_bus": frozenset({"root_lead"}), "hierarchical": frozenset({"root_lead", "domain_lead"}),
    },
    "conflict": {
        "single": frozenset({"root_lead"}), "star": frozenset({"root_lead"}),
        "controlled_bus": frozenset({"root_lead", "verifier"}),
        "hierarchical": frozenset({"root_lead", "domain_lead"}),
    },
    "merge": {
        "single": frozenset({"root_lead"}), "star": frozenset({"root_lead"}),
        "controlled_bus": frozenset({"root_lead", "verifier"}), "hierarchical": frozenset({"root_lead", "verifier"}),
    },
}  # fmt: skip
"""Whose word it is; a message of anybody else about it is advice at most."""
