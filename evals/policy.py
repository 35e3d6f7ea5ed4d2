"""How much worse a version may be before it counts as a regression, and who may change that."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..contracts.base import Contract
from ..contracts.errors import UsageError
from .scorers import MEASURES
from .statistics import Paired

DEFAULT = Path(__file__).with_name("policy.yaml")


class Allowance(Contract):
    """What one measure may lose. A loss counts only beyond `drop`, or beyond `share` of the former value."""

    drop: float = Field(default=0.0, ge=0.0)
    """In the measure's own unit."""
    share: float = Field(default=0.0, ge=0.0)
    """Of the former value; for cost, which has no natural unit."""
    surely: bool = False
    """Whether only a loss whose confidence interval leaves out zero counts."""


class RegressionPolicy(Contract):
    schema_version: Literal[1] = Field(default=1, alias="schema")
    owners: tuple[str, ...] = Field(min_length=1)
    """Who may change this file; a failing check names them."""
    measures: dict[str, Allowance]


class Regression(NamedTuple):
    measure: str
    before: float
    after: float
    allowed: float
    """How far it may move in the bad direction."""
    why: str


def load_policy(path: Path | None = None) -> RegressionPolicy:
    source = path or DEFAULT
    try:
        raw = YAML(typ="safe").load(source.read_text(encoding="utf-8"))
        policy = RegressionPolicy.model_validate(raw)
    except OSError as error:
        raise UsageError(f"cannot read the regression policy {str(source)!r}", why=str(error)) from error
    except (YAMLError, ValidationError) as error:
        raise UsageError(f"regression policy {str(source)!r} does not hold together", why=str(error)) from error
    unknown = sorted(policy.measures.keys() - MEASURES.keys())
    if unknown:
        raise UsageError(
            f"regression policy {str(source)!r} names unknown measures: {', '.join(unknown)}",
            hint=f"known are {', '.join(MEASURES)}",
        )
    return policy


def regressions(compared: Mapping[str, Paired], policy: RegressionPolicy) -> tuple[Regression, ...]:
    """Measures of B that are worse than those of A by more than the policy allows."""
    found = (_check(name, compared[name], rule) for name, rule in policy.measures.items() if name in compared)
    return tuple(regression for regression in found if regression is not None)


def _check(name: str, pair: Paired, rule: Allowance) -> Regression | None:
    """A loss is a move against the measure's good direction."""
    loss = pair.difference if MEASURES[name].better == "lower" else -pair.difference
    allowed = max(rule.drop, rule.share * abs(pair.mean_a))
    if loss <= allowed or (rule.surely and not pair.significant):
        return None
    sure = "its interval leaves out zero" if pair.significant else "its interval does not leave out zero"
    why = f"{pair.worse if MEASURES[name].better == 'higher' else pair.better} of {pair.cases} cases are worse; {sure}"
    return Regression(name, pair.mean_a, pair.mean_b, allowed, why)
