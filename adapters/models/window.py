"""What fits into a model's context, and whether the server read all of what was sent.

Ollama has no call that counts tokens, and cuts a prompt that is too long without saying so. So the size is estimated
before a call, and the server's count is held against the estimate after it.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, field

MARGIN = 1.15
"""An estimate may be so much too low and the prompt still fits."""
TEMPLATE_TOKENS = 24
"""What a model's chat template adds around the messages."""
FULL = 0.9
LOW = 0.7
NEAR = 0.2
"""Counts within 20 % of the estimate are what was expected."""
PROMPTS_KEPT = 32


def size_of(text: str) -> int:
    """Bytes, not characters: a letter outside ASCII costs more tokens, and more bytes."""
    return len(text.encode("utf-8", "backslashreplace"))


def tokens_for(size: int, bytes_per_token: float) -> int:
    return math.ceil(size / bytes_per_token) + TEMPLATE_TOKENS


def fits(estimate: int, answer_tokens: int, num_ctx: int) -> bool:
    return estimate * MARGIN + answer_tokens <= num_ctx


def cut_reason(*, counted: int | None, expected: int, reusable: int, num_ctx: int, partial_counts: bool) -> str:
    """Why the server must have cut the prompt, empty where nothing speaks for it.

    `reusable` tokens may have been served from the prefix cache and then are missing in some servers' count; where the
    probe saw that (`partial_counts`) a low count proves nothing, since an earlier run can have filled the cache.
    """
    if not counted:
        return ""
    seen = f"the server read {counted} tokens, about {expected} were sent"
    if counted >= FULL * num_ctx:
        return f"{seen}, and its context of {num_ctx} is full"
    expected_count = abs(counted - expected) <= NEAR * expected
    if abs(counted - (num_ctx // 2 + 2)) <= 3 and not expected_count:
        return f"{seen}, and a cut leaves just half a context of {num_ctx}"
    explained = partial_counts or counted >= LOW * (expected - reusable) - TEMPLATE_TOKENS
    return "" if counted >= LOW * expected or explained else seen


def common_prefix(one: str, other: str) -> int:
    """Length of the longest common beginning."""
    return bisect_left(range(min(len(one), len(other))), 1, key=lambda n: one[: n + 1] != other[: n + 1])


@dataclass
class Prefixes:
    """Prompts that this process sent, to know what the server's prefix cache can hold of the next one."""

    sent: list[str] = field(default_factory=list)

    def shared(self, prompt: str) -> int:
        """Characters at the beginning that an earlier prompt shares; remembers this one."""
        longest = max((common_prefix(prompt, earlier) for earlier in self.sent), default=0)
        self.sent = [*self.sent[-(PROMPTS_KEPT - 1) :], prompt]
        return longest
