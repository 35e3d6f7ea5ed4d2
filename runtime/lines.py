"""YAML files of the user's: plain values, and the line of each."""

from collections.abc import Sequence
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq


def line_of(tree: Any, place: Sequence[int | str]) -> str:
    """` line N` of the deepest part of a place that the file has."""
    line: int | None = None
    node = tree
    for part in place:
        if not isinstance(node, CommentedMap | CommentedSeq):
            break
        position = node.lc.data.get(part) if node.lc.data else None
        if position is None:
            break
        line = position[0] + 1
        node = node[part]
    return f" line {line}" if line is not None else ""


def plain(node: Any) -> Any:
    if isinstance(node, CommentedMap):
        return {str(k): plain(v) for k, v in node.items()}
    if isinstance(node, CommentedSeq):
        return [plain(v) for v in node]
    return node
