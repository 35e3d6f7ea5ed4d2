"""What the telemetry says: bundle, tables, probes, analysts, ranking."""
