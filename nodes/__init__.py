"""The steps of an investigation: one file per graph node."""
