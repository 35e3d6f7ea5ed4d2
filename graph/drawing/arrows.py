"""Arrows of a diagram as SVG paths, each with the contracts that pass along it."""

from html import escape
from typing import NamedTuple

from .layout import DIAMOND_HEIGHT, DIAMOND_WIDTH, HEIGHT, LANE, WIDTH, Layout, Place, Route

COLOURS = {"validated": "#1a7f37", "semi": "#bc6c00", "human": "#b3261e"}
DASHES = {"validated": "", "semi": "7 4", "human": "9 3 2 3"}
HALVES = {"human": DIAMOND_HEIGHT / 2, "step": HEIGHT / 2, "source": HEIGHT / 2}
SIDES = {"human": DIAMOND_WIDTH / 2, "step": WIDTH / 2}
ASKS, ENTERS, COMES_BACK = 10, -14, -2
"""Where on a step's side an arrow to a human point leaves, one from above enters, one from below comes back."""


class Drawn(NamedTuple):
    path: str
    label: str


def draw(route: Route, layout: Layout) -> str:
    source, target = layout.places[route.arrow.source], layout.places[route.arrow.target]
    way = {"straight": _straight, "left": _left, "right": _right, "to_human": _to_human, "from_human": _from_human}
    drawn = way[route.way](source, target, route)
    trust = route.arrow.trust
    dash = f' stroke-dasharray="{DASHES[trust]}"' if DASHES[trust] else ""
    told = escape(f"{route.arrow.source} to {route.arrow.target}: {route.arrow.label}")
    return (
        f"<g><title>{told}</title>"
        f'<path d="{drawn.path}" fill="none" stroke="{COLOURS[trust]}" stroke-width="1.6"{dash} '
        f'marker-end="url(#{trust})"/>{drawn.label}</g>'
    )


def half(place: Place) -> float:
    return HALVES.get(place.box.shape, 17)


def side(place: Place) -> float:
    return SIDES.get(place.box.shape, 75)


def _label(x: float, y: float, route: Route, anchor: str = "start", turn: str = "") -> str:
    """Two lines: what comes out, what it is taken as; along a lane they are turned."""
    return (
        f'<text class="label" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{turn}>'
        f'<tspan x="{x:.0f}" dy="-3">output: {escape(route.arrow.output)}</tspan>'
        f'<tspan x="{x:.0f}" dy="13">input: {escape(route.arrow.input)}</tspan></text>'
    )


def _along(x: float, y: float, route: Route) -> str:
    return _label(x, y, route, "middle", f' transform="rotate(-90 {x:.0f} {y:.0f})"')


def _straight(source: Place, target: Place, route: Route) -> Drawn:
    top, bottom = source.y + half(source), target.y - half(target)
    path = f"M{source.x:.0f} {top:.0f} L{target.x:.0f} {bottom - 1:.0f}"
    return Drawn(path, _label(source.x + 8, (top + bottom) / 2, route))


def _lane(leave: tuple[float, float], x: float, enter: tuple[float, float]) -> str:
    """Out sideways, along the lane, and back in, with round corners."""
    turn = 8 if enter[1] > leave[1] else -8
    out, back = (8 if x < leave[0] else -8), (8 if x < enter[0] else -8)
    return (
        f"M{leave[0]:.0f} {leave[1]:.0f} H{x + out:.0f} Q{x:.0f} {leave[1]:.0f} {x:.0f} {leave[1] + turn:.0f} "
        f"V{enter[1] - turn:.0f} Q{x:.0f} {enter[1]:.0f} {x + back:.0f} {enter[1]:.0f} H{enter[0]:.0f}"
    )


def _left(source: Place, target: Place, route: Route) -> Drawn:
    x = source.x - WIDTH / 2 - 10 - LANE * (route.lane - 0.5)
    down = target.y >= source.y
    leave, enter = source.y + (9 if down else -9), target.y + (-9 if down else 9)
    path = _lane((source.x - side(source), leave), x, (target.x - side(target) - 1, enter))
    return Drawn(path, _along(x + 1, (leave + enter) / 2, route))


def _right(source: Place, target: Place, route: Route) -> Drawn:
    x = source.x + DIAMOND_WIDTH / 2 + 8 + LANE * (route.lane - 0.5)
    enter = target.y + (COMES_BACK if target.y < source.y else 0)
    path = _lane((source.x + side(source), source.y), x, (target.x + side(target) + 1, enter))
    return Drawn(path, _along(x + 1, (source.y + enter) / 2, route))


def _to_human(source: Place, target: Place, route: Route) -> Drawn:
    y = source.y + ASKS
    path = (
        f"M{source.x + side(source):.0f} {y:.0f} H{target.x - 8:.0f} Q{target.x:.0f} {y:.0f} "
        f"{target.x:.0f} {y + 5:.0f} V{target.y - half(target) - 1:.0f}"
    )
    return Drawn(path, _label(source.x + side(source) + 12, y + 16, route))


def _from_human(source: Place, target: Place, route: Route) -> Drawn:
    up = target.y < source.y
    y = target.y + (-ENTERS if up else ENTERS)
    edge = source.y + (-half(source) if up else half(source))
    path = (
        f"M{source.x:.0f} {edge:.0f} V{y + (6 if up else -6):.0f} Q{source.x:.0f} {y:.0f} "
        f"{source.x - 8:.0f} {y:.0f} H{target.x + side(target) + 1:.0f}"
    )
    return Drawn(path, _label(target.x + side(target) + 12, y + (16 if up else -14), route))
