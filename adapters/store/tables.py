"""The tables of one database, as the queries see them; their history is in `migrations/`.

Times are microseconds since 1970 in UTC. Bodies are the JSON of a contract, beside a digest that binds each to its
place.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

REVISIONS = ("0001",)
"""Every schema that this version can read or bring up to date, oldest first."""
HEAD = REVISIONS[-1]

metadata = MetaData()

run = Table(
    "run",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("config", Text, nullable=False),
    Column("parent", Text),
    Column("evaluation", Boolean(create_constraint=False), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("start_digest", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("state_digest", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("holder", Text, nullable=False),
    Column("holder_process", Text, nullable=False),
    Column("lease_until", BigInteger),
    Column("event_seq", Integer, nullable=False),
    Column("event_digest", Text, nullable=False),
    Index("run_by_age", "evaluation", "created_at"),
)

record = Table(
    "record",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Text, ForeignKey("run.run_id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("digest", Text, nullable=False),
    UniqueConstraint("run_id", "kind", "key"),
)

event = Table(
    "event",
    metadata,
    Column("run_id", Text, ForeignKey("run.run_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("event_id", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("prev_digest", Text, nullable=False),
    Column("digest", Text, nullable=False),
    UniqueConstraint("run_id", "event_id"),
)

step = Table(
    "step",
    metadata,
    Column("run_id", Text, ForeignKey("run.run_id"), primary_key=True),
    Column("step", Text, primary_key=True),
    Column("body", Text, nullable=False),
    Column("digest", Text, nullable=False),
)

artifact = Table(
    "artifact",
    metadata,
    Column("run_id", Text, ForeignKey("run.run_id"), primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("media_type", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# LangGraph's own tables, with the run's sequence and a seal beside each row.
checkpoints = Table(
    "checkpoints",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("checkpoint_ns", Text, primary_key=True, server_default=""),
    Column("checkpoint_id", Text, primary_key=True),
    Column("parent_checkpoint_id", Text),
    Column("type", Text),
    Column("checkpoint", LargeBinary),
    Column("metadata", LargeBinary),
    Column("seq", Integer),
    Column("seal", Text),
    Index("checkpoints_by_seq", "thread_id", "checkpoint_ns", "seq"),
)

writes = Table(
    "writes",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("checkpoint_ns", Text, primary_key=True, server_default=""),
    Column("checkpoint_id", Text, primary_key=True),
    Column("task_id", Text, primary_key=True),
    Column("task_path", Text, nullable=False, server_default=""),
    Column("idx", Integer, primary_key=True, autoincrement=False),
    Column("channel", Text, nullable=False),
    Column("type", Text),
    Column("value", LargeBinary),
    Column("seal", Text),
)
