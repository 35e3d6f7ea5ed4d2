"""How people use it."""
