"""Cases of a kernel or a program, and running an answer on them: operands in place, junk everywhere else."""
