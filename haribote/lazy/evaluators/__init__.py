"""What computes expressions: a reference in NumPy, C++ and the simulated chip, behind one call."""
