"""Causes by stated rules, from claims alone: docs/ranking.md."""

from .rank import rank

__all__ = ["rank"]
