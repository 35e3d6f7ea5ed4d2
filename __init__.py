"""The rooms of leadline stand here; see CONTRIBUTING.md."""
