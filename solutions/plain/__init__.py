"""Plain answers to the large tasks, of which the stubs keep everything but named holes; right, but not the shortest."""
