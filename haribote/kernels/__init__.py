"""The learner's kernels of stage 05, one file per task; a node whose kernel is not here runs on the host."""
