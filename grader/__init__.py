"""The autograder."""
