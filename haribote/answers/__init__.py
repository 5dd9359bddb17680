"""The tasks of the course, and whose code answers them."""
