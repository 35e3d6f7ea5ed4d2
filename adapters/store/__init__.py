"""One database file that keeps all runs: their rows, records, events and checkpoints.

`checkpoints.open_checkpointer` and `memory.MemoryRunStore` are imported from their own files: LangGraph is heavy.
"""

from .opening import open_store
from .runs import SqlRunStore

__all__ = ["SqlRunStore", "open_store"]
