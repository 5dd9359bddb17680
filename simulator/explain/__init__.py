"""A program in words and in costs, and the page docs/isa.md."""

from simulator.explain.line import explain, explain_line

__all__ = ["explain", "explain_line"]
