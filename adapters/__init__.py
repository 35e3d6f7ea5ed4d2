"""The outside world: Ollama, the database, telemetry sources."""
