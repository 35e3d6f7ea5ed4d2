"""Tables and trees that kubectl and its kin print, read back into rows."""

import re
from collections.abc import Iterator

IRREGULAR = {
    "endpoints": "endpoints",
    "ingresses": "ingress",
    "networkpolicies": "networkpolicy",
    "storageclasses": "storageclass",
    "resourcequota": "resourcequota",
}
CALLED_BY = re.compile(r"^\[Upstream \(Called By\)\]: *(.*)$", re.MULTILINE)
SERVICE = re.compile(r"^\[Service\]: *(\S+)", re.MULTILINE)
OFFSET = re.compile(r"\d{2}:\d{2}:\d{2} ([+-]\d{2})(\d{2})\b")


def kind_of(resource_type: str) -> str:
    """`pods` is the kind `pod`."""
    return IRREGULAR.get(resource_type, resource_type.removesuffix("s"))


def table(text: str) -> Iterator[dict[str, str]]:
    """Rows of a table with a header, by column; columns are cut where the header's words begin."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not lines[0].isupper():
        return
    heads = list(re.finditer(r"\S+(?: \S+)*", lines[0]))
    starts = [head.start() for head in heads]
    for line in lines[1:]:
        cells = [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
        yield {head.group(): cell for head, cell in zip(heads, cells, strict=True)}


def callers(text: str) -> list[tuple[str, str]]:
    """Edges into the service that a dependency tree is about."""
    service, called_by = SERVICE.search(text), CALLED_BY.search(text)
    if service is None or called_by is None:
        return []
    names = [name.strip() for name in called_by[1].split(",")]
    return [(name, service[1]) for name in names if name and not name.startswith("(")]


def offset(texts: Iterator[str]) -> str:
    """The zone that the texts write their times in, `+08:00`; empty where none says."""
    return next((f"{found[1]}:{found[2]}" for text in texts if (found := OFFSET.search(text))), "")
