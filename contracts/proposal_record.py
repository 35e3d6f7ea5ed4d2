"""How one question to a proposer went: asked once, kept, and answered from here when it is asked again."""

from typing import Literal

from pydantic import Field, JsonValue

from .base import AgentId, Digest, Record, TaskId, Utc

DegradedKind = Literal[
    "down",  # no connection, or it broke
    "timeout",
    "model_missing",
    "server_error",  # the server said so, or spoke no Ollama
    "incomplete",  # the answer did not end by itself
    "cut_prompt",  # the server read less than was sent
    "too_long",  # the prompt does not fit the model's context
    "not_json",
    "wrong_shape",  # JSON, but not the form
    "format_ignored",  # no JSON at all where the form was required
    "budget",
]


class ProposalRecord(Record):
    record_kind = "proposal"

    ask_id: str
    node: str
    """The graph node that asked."""
    form: str
    """Class name of the form."""
    agent: AgentId | None = None
    task_id: TaskId | None = None
    model: str
    """The proposer that was asked, `ollama:NAME` or `scripted`."""
    template: str
    system: Digest
    """Artifact of the prompt's first part, equal for all questions."""
    shared: Digest
    """Artifact of its second part, equal for all questions of a run."""
    task: Digest
    """Artifact of its last part."""
    replies: tuple[Digest, ...] = ()
    """Artifacts of what the model answered, as it came, the repair's last; cut where it was endless."""
    answer: dict[str, JsonValue]
    """The filled form that stands."""
    origin: Literal["model", "rules"]
    degraded: DegradedKind | None = None
    """Why the rules answered instead."""
    why: str = ""
    """The same in a sentence."""
    attempts: int = Field(ge=0)
    """Calls that were made: 0 where none was worth making, 2 with a repair."""
    tokens_in: int = 0
    """As the server counted, else estimated; over all attempts."""
    tokens_out: int = 0
    estimate: int = 0
    """Tokens of the first prompt as they were estimated before the call."""
    prompt_chars: int = 0
    """Characters sent, over all attempts."""
    shared_prefix_chars: int = 0
    """Of these, the longest prefixes shared with an earlier prompt."""
    seconds: float = 0.0
    """Spent in calls."""
    at: Utc

    @property
    def key(self) -> str:
        return self.ask_id
