"""The interaction diagram of a version, drawn from its wiring, its contracts and a team."""

from ..contracts.team import TeamSpec
from .drawing.as_html import as_html
from .drawing.as_mermaid import as_mermaid
from .drawing.as_svg import as_svg
from .drawing.picture import Picture, picture
from .versions import compile_version, version


def drawn(name: str, team: TeamSpec) -> Picture:
    """Raise `UsageError` for an unknown version."""
    topology = version(name).topology
    return picture(
        name, compile_version(name, None).get_graph(xray=True), team.model_copy(update={"topology": topology})
    )


def mermaid(name: str, team: TeamSpec) -> str:
    return as_mermaid(drawn(name, team))


def svg(name: str, team: TeamSpec) -> str:
    return as_svg(drawn(name, team))


def html(name: str, team: TeamSpec) -> str:
    """One page without anything from elsewhere: the picture, its contracts and its human points as tables."""
    return as_html(drawn(name, team))
