"""One file an incident: what happened, what it left in the telemetry, and the answer."""
