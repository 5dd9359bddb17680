"""Micro-puzzles: a picture of some memories before, one of what is wanted after, and one line of assembly to write."""
