"""Settings, wiring and the run service."""
