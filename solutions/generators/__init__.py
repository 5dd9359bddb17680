"""The reference generators: programs that write kernels, one part of them per file."""
