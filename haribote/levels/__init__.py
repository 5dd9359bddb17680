"""Stage 07: the training step of the course at every level, and the board of the shortest."""
