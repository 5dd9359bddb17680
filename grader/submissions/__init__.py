"""What learners hand in: writing an archive, and reading what came back without trusting any of it."""
