"""-O0: from a placed graph to assembly text, linked programs, and running them beside the host."""
