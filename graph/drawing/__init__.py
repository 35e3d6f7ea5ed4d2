"""How a version is drawn: from its compiled graph, the table of contracts and a team file."""
