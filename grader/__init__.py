"""The autograder: `from grader import check`, or `grader check 5.12` in a shell."""

from grader.checking import check
from grader.result import Failure, Result

__all__ = ["Failure", "Result", "check"]
