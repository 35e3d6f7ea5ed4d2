"""What cannot all hold, as objects: found by rules, each with the authority that settles it declared beforehand."""

from .artifacts import Patch, artifact_conflicts, merge_patches
from .facts import fact_conflicts
from .plans import plan_conflicts
from .requirements import requirement_conflicts
from .rulings import Ruling, rule_on

__all__ = [
    "Patch",
    "Ruling",
    "artifact_conflicts",
    "fact_conflicts",
    "merge_patches",
    "plan_conflicts",
    "requirement_conflicts",
    "rule_on",
]
