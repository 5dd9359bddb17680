"""The course checks itself: stubs are unsolved, solutions pass, wrong answers and mutants do not."""
