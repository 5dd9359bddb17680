"""What may stand beside and after what: marks, conflicts in a step, waits between steps (isa.md, section 12)."""
