"""Log lines as templates: variables masked and lines grouped in SQL, then like groups merged by Drain.

Drain (He et al., 2017, "Drain: An Online Log Parsing Approach with Fixed Depth Tree") sees distinct masked lines only,
in sorted order, so that the same logs always give the same templates. It never loads or saves a snapshot.
"""

from collections.abc import Iterable
from typing import NamedTuple

from drain3 import TemplateMiner
from drain3.template_miner_config import TemplateMinerConfig

MASK = "<*>"
LOOKED_AT = 500
"""Characters of a line that a template is made of."""
_VARIABLE = (
    r"(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"  # UUID
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+(?:Z|[+-][0-9:]{4,6})?"  # time
    r"|[A-Za-z0-9_./@-]*[0-9][A-Za-z0-9_./@:-]*)"  # any word with a digit in it
)
MASKED_SQL = f"regexp_replace(left(body, {LOOKED_AT}), '{_VARIABLE}', '{MASK}', 'g')"


class Line(NamedTuple):
    masked: str
    key: int


class Merged(NamedTuple):
    template: str
    keys: tuple[int, ...]


def merge(lines: Iterable[Line]) -> list[Merged]:
    """Masked lines by template; `key` says which line is which."""
    miner = TemplateMiner(config=_config())
    members: dict[int, list[int]] = {}
    for line in sorted(lines):
        found = miner.add_log_message(line.masked or MASK)
        members.setdefault(int(found["cluster_id"]), []).append(line.key)
    templates = {int(c.cluster_id): str(c.get_template()) for c in miner.drain.clusters}
    return [Merged(templates[cluster], tuple(keys)) for cluster, keys in sorted(members.items())]


def _config() -> TemplateMinerConfig:
    config = TemplateMinerConfig()
    config.drain_sim_th = 0.55
    config.drain_depth = 4
    config.drain_max_children = 100
    config.drain_max_clusters = 20_000
    config.parametrize_numeric_tokens = True
    config.profiling_enabled = False
    config.masking_instructions = []
    return config
