"""Where everything stands: steps in one column by layers, human points beside it, far arrows in lanes of their own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .picture import BUNDLE, Arrow, Box, Picture

WIDTH, HEIGHT = 250, 58
LAYER = 142
DIAMOND_WIDTH, DIAMOND_HEIGHT = 232, 104
LANE = 40
TOP = 96
BESIDE = 430
"""From the column of steps to that of human points, centre to centre."""
END = "__end__"
Way = Literal["straight", "left", "to_human", "from_human", "right"]


@dataclass(frozen=True)
class Place:
    box: Box
    x: float
    y: float
    """Of its centre."""


@dataclass(frozen=True)
class Route:
    arrow: Arrow
    way: Way
    lane: int = 0
    """Of a far arrow, from 1 next to the column."""


@dataclass(frozen=True)
class Layout:
    places: dict[str, Place]
    routes: tuple[Route, ...]
    width: float
    height: float
    column: float
    """Centre of the column of steps."""


def lay_out(picture: Picture) -> Layout:
    order = layers(picture)
    routes = tuple(_routes(picture, order))
    lanes = max((r.lane for r in routes if r.way == "left"), default=0)
    column = 60 + LANE * lanes + WIDTH / 2
    places: dict[str, Place] = {}
    for box in picture.boxes:
        beside = box.shape in {"human", "source"}
        places[box.name] = Place(box, column + (BESIDE if beside else 0), TOP + LAYER * order[box.name])
    right = max((r.lane for r in routes if r.way == "right"), default=0)
    width = column + BESIDE + DIAMOND_WIDTH / 2 + 24 + LANE * right
    return Layout(places, routes, width, TOP + LAYER * (max(order.values()) + 0.7), column)


def layers(picture: Picture) -> dict[str, float]:
    """One step to a layer, each after all that leads to it, the inside of a circle before what comes after it; a human
    point stands half a layer below the step that asks.
    """
    steps = [b.name for b in picture.boxes if b.shape not in {"human", "source"}]
    taken = {name: float(place) for place, name in enumerate(_in_order(_following(picture, steps), steps[0], END))}
    for box in picture.boxes:
        if box.shape == "human":
            taken[box.name] = max(taken[a.source] for a in picture.arrows if a.target == box.name) + 0.5
    readers = sorted(taken[a.target] for a in picture.arrows if a.source == BUNDLE)
    taken[BUNDLE] = sum(readers[:2]) / len(readers[:2]) if readers else 0.0
    return taken


def _following(picture: Picture, steps: list[str]) -> dict[str, list[str]]:
    """What comes after each step, directly or by way of a human point or a domain's own graph."""
    after: dict[str, list[str]] = {s: [] for s in steps}
    through: dict[str, list[str]] = {b.name: [] for b in picture.boxes if b.shape == "human"}
    for arrow in picture.arrows:
        if arrow.source in through:
            through[arrow.source].append(arrow.target)
    for arrow in picture.arrows:
        if arrow.source in after:
            after[arrow.source] += through.get(arrow.target, [arrow.target])
    return after


def _in_order(following: dict[str, list[str]], start: str, end: str) -> list[str]:
    """Reverse of the order in which a depth-first walk is done with the steps.

    Of what comes after a step, what leads to the end without coming back to it is walked first: it comes out last,
    after the inside of the circle.
    """
    seen: set[str] = set()
    done: list[str] = []

    def walk(node: str) -> None:
        seen.add(node)
        for target in sorted(following[node], key=lambda t: end not in _reached(following, t, node)):
            if target not in seen:
                walk(target)
        done.append(node)

    walk(start)
    return done[::-1]


def _reached(following: dict[str, list[str]], start: str, without: str) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        here = left.pop()
        if here not in found and here != without:
            found.add(here)
            left += following[here]
    return found


def _routes(picture: Picture, order: dict[str, float]) -> Iterable[Route]:
    shapes = {b.name: b.shape for b in picture.boxes}
    far: list[Arrow] = []
    farther: list[Arrow] = []
    for arrow in picture.arrows:
        apart = order[arrow.target] - order[arrow.source]
        if shapes[arrow.target] == "human":
            yield Route(arrow, "to_human")
        elif shapes[arrow.source] in {"human", "source"}:
            if (0 < apart < 1) or (shapes[arrow.source] == "source" and abs(apart) <= 1):
                yield Route(arrow, "from_human")
            else:
                farther.append(arrow)
        elif apart == 1:
            yield Route(arrow, "straight")
        else:
            far.append(arrow)
    yield from _in_lanes(far, order, "left")
    yield from _in_lanes(farther, order, "right")


def _in_lanes(arrows: list[Arrow], order: dict[str, float], way: Way) -> Iterable[Route]:
    """The short ones near the column; two share a lane where they do not meet."""
    taken: list[list[tuple[float, float]]] = []
    for arrow in sorted(arrows, key=lambda a: (abs(order[a.target] - order[a.source]), order[a.source])):
        low, high = sorted((order[arrow.source], order[arrow.target]))
        free = next((n for n, spans in enumerate(taken) if all(high < a or low > b for a, b in spans)), None)
        if free is None:
            taken.append([])
            free = len(taken) - 1
        taken[free].append((low, high))
        yield Route(arrow, way, free + 1)
