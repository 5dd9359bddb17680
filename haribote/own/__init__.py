"""A learner's own kernels: which of them work, what stands in for the others, and how much of a step is theirs."""
