"""Text to `Program`, and what is wrong with it (isa.md, sections 3 to 6)."""
