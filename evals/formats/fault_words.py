"""A collection's own word for a fault, in the terms that a report uses."""

from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

FILE = Path(__file__).with_name("fault_words.yaml")


def in_our_terms(collection: str, label: str) -> tuple[str, ...]:
    """Empty where no single term means the same."""
    return tuple(_words().get(collection, {}).get(label, ()))


@cache
def _words() -> dict[str, dict[str, list[str]]]:
    raw = YAML(typ="safe").load(FILE.read_text(encoding="utf-8"))
    return {name: words for name, words in raw.items() if isinstance(words, dict)}
