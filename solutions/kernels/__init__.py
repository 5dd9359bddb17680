"""Reference kernels of stage 05, one file per task: each yields the assembly text of one operator."""
