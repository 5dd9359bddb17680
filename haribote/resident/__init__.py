"""-O1: the kernels of -O0, between which values stay in LM; parameters stay there from step to step."""
