"""Random programs on both engines: `python -m benchmarks.fuzz`."""
