"""A cluster's objects as its API has them, read from YAML, JSON, listings and what `kubectl describe` prints."""
