"""A run and what it was started with."""

from pydantic import Field

from .base import Contract, Digest, RunId, Utc
from .lifecycle import RunState
from .team import TeamSpec


class RunConfig(Contract):
    """All that a resume needs to go on with the same investigation; it never changes."""

    bundle_path: str
    bundle_digest: Digest
    incident_id: str
    title: str
    graph_version: str
    structure_hash: Digest
    """Of the compiled graph's nodes, edges and channels."""
    prompt_hashes: dict[str, str]
    """Template name to digest."""
    team: TeamSpec
    model: str
    """`rules` or `ollama:NAME`."""
    model_reason: str
    """Why this proposer was chosen, in one line."""
    model_digest: str = ""
    """Of the model's weights, as the server names them; empty for rules."""
    ollama_url: str = ""
    """Where the model is asked."""
    num_ctx: int = 8192
    max_concurrency: int = Field(default=4, ge=1)
    user: str
    """Who started it."""
    evaluation: bool = False
    actions_catalog: str = ""
    """Path of the catalog of actions that it was started with; empty for the shipped one."""


class Run(Contract):
    run_id: RunId
    config: RunConfig
    state: RunState = "running"
    reason: str = ""
    """Why it failed, waits or was cancelled."""
    parent: RunId | None = None
    created_at: Utc
    updated_at: Utc
    epoch: int = 0
    """Of the lease last granted."""
    holder: str = ""
    """`host:pid` of the process that holds it, empty where none does."""
    lease_until: Utc | None = None


class RunLease(Contract):
    """The right to write to a run; a write that carries an old epoch is refused."""

    run_id: RunId
    epoch: int
    holder: str
