"""One number, what it is, and the bound it must keep."""

from typing import NamedTuple


class Figure(NamedTuple):
    what: str
    value: float
    unit: str
    most: float | None = None
    """The bound; None where the number is there to compare with."""

    @property
    def kept(self) -> bool:
        return self.most is None or self.value <= self.most

    def line(self) -> str:
        bound = "" if self.most is None else f"at most {self.most:g}: {'kept' if self.kept else 'NOT KEPT'}"
        return f"  {self.what:<62} {self.value:>12,.2f} {self.unit:<14} {bound}".rstrip()


def show(title: str, figures: list[Figure]) -> bool:
    """Print them; whether all bounds were kept."""
    print(f"{title}")
    for figure in figures:
        print(figure.line())
    return all(figure.kept for figure in figures)
