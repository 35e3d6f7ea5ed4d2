"""Runs, records, events, steps, artifacts, and LangGraph's checkpoints with a sequence and a seal."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEEP_EVENTS = """
CREATE TRIGGER event_{verb}_refused BEFORE {verb} ON event
BEGIN SELECT RAISE(ABORT, 'leadline: events are append-only'); END
"""
KEEP_ARTIFACTS = """
CREATE TRIGGER artifact_update_refused BEFORE UPDATE ON artifact
BEGIN SELECT RAISE(ABORT, 'leadline: artifacts never change'); END
"""
KEEP_DECISIONS = """
CREATE TRIGGER decision_{verb}_refused BEFORE {verb} ON record WHEN OLD.kind = 'approval_decision'
BEGIN SELECT RAISE(ABORT, 'leadline: an approval is decided once'); END
"""
KEEP_EPOCH = """
CREATE TRIGGER run_epoch_grows BEFORE UPDATE OF epoch ON run WHEN NEW.epoch < OLD.epoch
BEGIN SELECT RAISE(ABORT, 'leadline: a lease epoch only grows'); END
"""
KEEP_START = """
CREATE TRIGGER run_start_stays BEFORE UPDATE OF run_id, config, parent, evaluation, created_at, start_digest ON run
BEGIN SELECT RAISE(ABORT, 'leadline: what a run was started with never changes'); END
"""


def upgrade() -> None:
    _runs()
    _ledger()
    _checkpoints()
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(KEEP_EVENTS.format(verb=verb))
            op.execute(KEEP_DECISIONS.format(verb=verb))
        for trigger in (KEEP_ARTIFACTS, KEEP_EPOCH, KEEP_START):
            op.execute(trigger)


def _runs() -> None:
    op.create_table(
        "run",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("parent", sa.Text),
        sa.Column("evaluation", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("start_digest", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("state_digest", sa.Text, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("holder_process", sa.Text, nullable=False),
        sa.Column("lease_until", sa.BigInteger),
        sa.Column("event_seq", sa.Integer, nullable=False),
        sa.Column("event_digest", sa.Text, nullable=False),
    )
    op.create_index("run_by_age", "run", ["evaluation", "created_at"])


def _ledger() -> None:
    op.create_table(
        "record",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey("run.run_id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "kind", "key"),
    )
    op.create_table(
        "event",
        sa.Column("run_id", sa.Text, sa.ForeignKey("run.run_id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("prev_digest", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "event_id"),
    )
    op.create_table(
        "step",
        sa.Column("run_id", sa.Text, sa.ForeignKey("run.run_id"), primary_key=True),
        sa.Column("step", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
    )
    op.create_table(
        "artifact",
        sa.Column("run_id", sa.Text, sa.ForeignKey("run.run_id"), primary_key=True),
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("media_type", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _checkpoints() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("thread_id", sa.Text, primary_key=True),
        sa.Column("checkpoint_ns", sa.Text, primary_key=True, server_default=""),
        sa.Column("checkpoint_id", sa.Text, primary_key=True),
        sa.Column("parent_checkpoint_id", sa.Text),
        sa.Column("type", sa.Text),
        sa.Column("checkpoint", sa.LargeBinary),
        sa.Column("metadata", sa.LargeBinary),
        sa.Column("seq", sa.Integer),
        sa.Column("seal", sa.Text),
    )
    op.create_index("checkpoints_by_seq", "checkpoints", ["thread_id", "checkpoint_ns", "seq"])
    op.create_table(
        "writes",
        sa.Column("thread_id", sa.Text, primary_key=True),
        sa.Column("checkpoint_ns", sa.Text, primary_key=True, server_default=""),
        sa.Column("checkpoint_id", sa.Text, primary_key=True),
        sa.Column("task_id", sa.Text, primary_key=True),
        sa.Column("task_path", sa.Text, nullable=False, server_default=""),
        sa.Column("idx", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("type", sa.Text),
        sa.Column("value", sa.LargeBinary),
        sa.Column("seal", sa.Text),
    )
