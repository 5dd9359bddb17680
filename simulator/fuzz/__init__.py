"""Random programs on both engines: `python -m simulator.fuzz`."""
