"""Measurements of speed and memory, and of how closely the simulated chip follows torch."""
