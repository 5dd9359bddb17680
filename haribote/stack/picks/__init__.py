"""Re-arrangements of elements that are no permutation of index bits: gathers, scatters, and what they are made of."""
