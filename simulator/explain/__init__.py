"""A program in words and in costs, and the page docs/isa.md."""
