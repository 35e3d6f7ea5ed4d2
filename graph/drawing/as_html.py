"""A diagram as one page: the picture, and the same in tables for whoever cannot see it."""

from collections.abc import Iterable, Sequence
from html import escape

from .as_svg import MEANING, as_svg
from .picture import Picture

STYLE = """
body { font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #1f2328; margin: 2rem }
figure { margin: 0; overflow-x: auto; border: 1px solid #d0d7de; border-radius: 6px }
table { border-collapse: collapse; margin: 1rem 0 2rem }
caption { text-align: left; font-weight: 600; padding: .4rem 0 }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid #d0d7de; vertical-align: top }
"""


def as_html(picture: Picture) -> str:
    humans = [b for b in picture.boxes if b.shape == "human"]
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(picture.title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{escape(picture.title)}</h1>",
            f"<figure>{as_svg(picture)}</figure>",
            _table(
                "What passes along each arrow",
                ("From", "To", "Output", "Input", "Trust"),
                ((a.source, a.target, a.output, a.input, MEANING[a.trust]) for a in picture.arrows),
            ),
            _table("Where a person is asked", ("Point", "When", "How long"), ((b.title, *b.lines) for b in humans)),
            _table(
                "Agents and their fuses",
                ("Agent", "Role", "Can", "Fuse"),
                ((c.name, c.role, c.lines[0], c.fuse) for c in picture.cards),
            ),
            "</body></html>\n",
        )
    )


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
