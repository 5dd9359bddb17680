"""The learner's answers of the other stages, one file per task."""
