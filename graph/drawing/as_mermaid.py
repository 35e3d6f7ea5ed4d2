"""A diagram as Mermaid text."""

from .picture import Arrow, Box, Card, Picture

SHAPES = {"start": ("([", "])"), "end": ("([", "])"), "step": ("[", "]"), "human": ("{", "}"), "source": ("[(", ")]")}
ARROWS = {"validated": "-->", "semi": "-.->", "human": "-.->"}
STYLES = {
    "validated": "stroke:#1a7f37,stroke-width:2px",
    "semi": "stroke:#bc6c00,stroke-width:2px,stroke-dasharray:6 4",
    "human": "stroke:#b3261e,stroke-width:2px,stroke-dasharray:8 3 2 3",
}


def as_mermaid(picture: Picture) -> str:
    lines = ["---", f"title: {picture.title}", "---", "flowchart TD"]
    outer = [b for b in picture.boxes if not b.cluster]
    lines += [f"  {_box(b)}" for b in outer]
    for cluster in dict.fromkeys(b.cluster for b in picture.boxes if b.cluster):
        lines.append(f"  subgraph {_id(cluster)} [each {cluster}]")
        lines += [f"    {_box(b)}" for b in picture.boxes if b.cluster == cluster]
        lines.append("  end")
    lines += [f"  {_arrow(a)}" for a in picture.arrows]
    lines.append("  subgraph agents [agents and their fuses]")
    lines += [f"    {_card(n, card)}" for n, card in enumerate(picture.cards)]
    lines.append("  end")
    for trust, style in STYLES.items():
        found = [str(n) for n, a in enumerate(picture.arrows) if a.trust == trust]
        if found:
            lines.append(f"  linkStyle {','.join(found)} {style}")
    lines.append("  classDef human fill:#fdecea,stroke:#b3261e")
    humans = [_id(b.name) for b in picture.boxes if b.shape == "human"]
    lines.append(f"  class {','.join(humans)} human")
    return "\n".join(lines) + "\n"


def _id(name: str) -> str:
    return name.replace(":", "__").strip("_") + ("_" if name.startswith("__") else "")


def _quoted(*lines: str) -> str:
    return '"' + "<br/>".join(line.replace('"', "#quot;") for line in lines) + '"'


def _box(box: Box) -> str:
    opened, closed = SHAPES[box.shape]
    return f"{_id(box.name)}{opened}{_quoted(box.title, *box.lines)}{closed}"


def _arrow(arrow: Arrow) -> str:
    return f"{_id(arrow.source)} {ARROWS[arrow.trust]}|{_quoted(arrow.label)}| {_id(arrow.target)}"


def _card(number: int, card: Card) -> str:
    return f"agent{number}[{_quoted(f'{card.name} ({card.role})', *card.lines, card.fuse)}]"
