"""A folder of telemetry, read in place: what it holds, what it lacks, and the tables over it."""
