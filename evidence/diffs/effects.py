"""What one change does, as typed values."""

from dataclasses import dataclass
from typing import Literal

EffectKind = Literal[
    "constant_changed",  # a number with a name has another value
    "constant_added",
    "constant_removed",
    "text_changed",  # a string with a name has another value: host, topic, mode
    "switch_changed",  # a boolean
    "guard_removed",  # a check for nil, null, None, undefined, a missing key
    "bounds_removed",  # a check of a length, range or sign
    "error_handling_removed",  # an error is no longer looked at
    "call_removed",
    "target_changed",  # the same call goes to another object: another store, another client
    "registration_removed",  # something is no longer registered, subscribed, seeded, mounted
    "release_removed",  # something is no longer closed, unlocked, returned
    "protection_removed",  # retry budget, backoff, breaker, limiter, lock, singleflight, jitter
    "cache_removed",
    "validation_removed",
    "auth_changed",  # credentials, scopes, headers of identity
    "lock_added",
    "lock_widened",  # held over work that waits for somebody else
    "bound_removed",  # a container forgot, and does so no more
    "backtracking_added",  # a regular expression with a repetition inside a repetition
    "wire_value_changed",  # the text of a constant that others parse
    "fanout_added",  # what ran one by one runs at once
    "blocking_added",  # a call that blocks, where others wait for the same loop
    "clock_changed",  # another time zone, or none
    "key_renamed",  # a setting is called another way, its value is the same
    "loop_call_added",  # a remote call or query inside a loop
    "retry_added",
    "unbounded_added",  # something that only grows
    "work_added",  # costly work on a path that is taken often
    "client_per_call",  # a client or connection of its own for every call
    "query_added",
    "query_changed",
    "limit_removed",  # of a query
    "predicate_removed",  # a WHERE condition
    "preload_removed",  # related rows are no longer read with one query
    "table_dropped",
    "column_dropped",
    "index_dropped",
    "migration_blocking",  # a schema change that locks or rewrites
    "migration_safe",
    "table_created",
    "field_renamed",  # on the wire
    "field_removed",
    "field_required",
    "type_changed",
    "operator_changed",
    "arithmetic_changed",
    "dependency_bumped",
    "image_changed",
    "log_level_lowered",
    "identifier_renamed",
    "behaviour_added",  # new code that runs
    "behaviour_changed",  # a change that no other rule names
]


@dataclass(frozen=True)
class Effect:
    kind: EffectKind
    key: str
    """What it happens to: a configuration key, an operand, a table, a call."""
    path: str
    quote: str
    """The telling line or lines of the diff."""
    old: str = ""
    new: str = ""
    old_value: float | None = None
    """In `unit`."""
    new_value: float | None = None
    unit: str = ""
    clear: float = 0.5
    """How surely the lines say it, 0 to 1."""

    @property
    def direction(self) -> Literal["raised", "lowered", ""]:
        if self.old_value is None or self.new_value is None or self.old_value == self.new_value:
            return ""
        return "raised" if self.new_value > self.old_value else "lowered"

    @property
    def factor(self) -> float:
        """How many times larger the greater of the two values is; 0 where there are not two positive ones."""
        if not self.old_value or not self.new_value or self.old_value <= 0 or self.new_value <= 0:
            return 0.0
        return max(self.old_value, self.new_value) / min(self.old_value, self.new_value)
