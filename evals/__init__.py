"""How well it does: datasets, public formats, scorers."""
