"""A diagram as SVG: one self-contained text, for a page or a file."""

from html import escape

from .arrows import COLOURS, DASHES, draw, half, side
from .layout import DIAMOND_HEIGHT, DIAMOND_WIDTH, HEIGHT, WIDTH, Layout, Place, lay_out
from .picture import Box, Card, Picture

MEANING = {
    "validated": "records that code has checked",
    "semi": "telemetry and a model's forms, before code has checked them",
    "human": "a person's word, bound to what was shown",
}
CARD_WIDTH, CARD_HEIGHT = 300, 62
STYLE = """
text { font: 13px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328 }
.title { font-size: 19px; font-weight: 600 } .name { font-weight: 600 } .small { font-size: 11px }
.label { font-size: 11px; paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
.mono { font: 11px ui-monospace, "DejaVu Sans Mono", monospace }
.muted { fill: #57606a }
"""


def as_svg(picture: Picture) -> str:
    layout = lay_out(picture)
    left = layout.width + 40
    rows = (len(picture.cards) + 1) // 2
    height = max(layout.height, 150 + rows * (CARD_HEIGHT + 14) + 60)
    width = left + 2 * (CARD_WIDTH + 16) + 24
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" role="img" aria-label="{escape(picture.title)}">'
        ),
        f"<style>{STYLE}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        _markers(),
        f'<text x="24" y="36" class="title">{escape(picture.title)}</text>',
        *_clusters(picture, layout),
        *(draw(route, layout) for route in layout.routes),
        *(_box(place) for place in layout.places.values()),
        *_panel(picture.cards, left),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _markers() -> str:
    heads = "".join(
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0 L10 5 L0 10 z" fill="{colour}"/></marker>'
        for name, colour in COLOURS.items()
    )
    return f"<defs>{heads}</defs>"


def _say(x: float, y: float, text: str, kind: str, anchor: str = "start", colour: str = "") -> str:
    style = f' style="fill:{colour}"' if colour else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _rect(centre: tuple[float, float], size: tuple[float, float], radius: float, fill: str, stroke: str) -> str:
    x, y = centre[0] - size[0] / 2, centre[1] - size[1] / 2
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{size[0]:.0f}" height="{size[1]:.0f}" rx="{radius:.0f}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="1.5"/>'
    )


def _clusters(picture: Picture, layout: Layout) -> list[str]:
    """A frame around what runs inside a subgraph."""
    frames = []
    for cluster in dict.fromkeys(b.cluster for b in picture.boxes if b.cluster):
        ys = [p.y for p in layout.places.values() if p.box.cluster == cluster]
        high = max(ys) - min(ys) + HEIGHT + 30
        frames += [
            _rect((layout.column, (min(ys) + max(ys)) / 2), (WIDTH + 36, high), 10, "#f6f8fa", "#8c959f"),
            _say(layout.column + WIDTH / 2 + 10, min(ys) - HEIGHT / 2 + 1, f"each {cluster}", "small muted", "end"),
        ]
    return frames


def _box(place: Place) -> str:
    box, x, y = place.box, place.x, place.y
    if box.shape == "human":
        wide, high = DIAMOND_WIDTH / 2, DIAMOND_HEIGHT / 2
        points = f"{x:.0f},{y - high:.0f} {x + wide:.0f},{y:.0f} {x:.0f},{y + high:.0f} {x - wide:.0f},{y:.0f}"
        shape = f'<polygon points="{points}" fill="#fdecea" stroke="{COLOURS["human"]}" stroke-width="1.5"/>'
        return shape + _lines(box, x, y, "")
    size = (2 * side(place), 2 * half(place))
    fill, stroke = {"source": ("#fff4e0", COLOURS["semi"]), "step": ("#ffffff", "#57606a")}.get(
        box.shape, ("#eaeef2", "#24292f")
    )
    radius = 6 if box.shape == "step" else size[1] / 2
    return _rect((x, y), size, radius, fill, stroke) + _lines(box, x, y, COLOURS["semi"])


def _lines(box: Box, x: float, y: float, second: str) -> str:
    top = y + 4 - 8 * len(box.lines)
    told = [_say(x, top, box.title, "name", "middle")]
    told += [_say(x, top + 16 * n, line, "small", "middle", second) for n, line in enumerate(box.lines, 1)]
    return "".join(told)


def _panel(cards: tuple[Card, ...], left: float) -> list[str]:
    """The agents with their fuses, and what the colours mean."""
    parts = [
        _say(left, 60, "Agents, with the thresholds of their fuses", "name"),
        _say(
            left, 78, "W: slower than this is warned about. E: so many refused reports in a row isolate.", "small muted"
        ),
        _say(left, 93, "C: so many fallbacks within an hour rebuild the team from its file.", "small muted"),
    ]
    for number, card in enumerate(cards):
        x = left + (number % 2) * (CARD_WIDTH + 16)
        parts += _card(card, x, 108 + (number // 2) * (CARD_HEIGHT + 14))
    below = 108 + ((len(cards) + 1) // 2) * (CARD_HEIGHT + 14) + 26
    for number, (trust, words) in enumerate(MEANING.items()):
        y = below + 22 * number
        dash = f' stroke-dasharray="{DASHES[trust]}"' if DASHES[trust] else ""
        line = f'<path d="M{left:.0f} {y} h54" stroke="{COLOURS[trust]}" stroke-width="2"{dash} '
        parts += [f'{line}marker-end="url(#{trust})"/>', _say(left + 66, y + 4, words, "small")]
    return parts


def _card(card: Card, x: float, y: float) -> list[str]:
    right = x + CARD_WIDTH - 12
    centre = (x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2)
    return [
        _rect(centre, (CARD_WIDTH, CARD_HEIGHT), 6, "#f6f8fa", "#8c959f"),
        _say(x + 12, y + 20, card.name, "name"),
        _say(right, y + 20, card.role, "small muted", "end"),
        _say(x + 12, y + 36, card.lines[0], "small"),
        _say(right, y + 53, card.fuse, "mono", "end"),
    ]
