"""What it costs to run leadline, measured: `python -m benchmarks [NAME …]` from the checkout."""
