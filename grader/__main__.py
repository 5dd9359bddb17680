"""`python -m grader`, the same as the command `grader`."""

import sys

from grader.cli import main

if __name__ == "__main__":  # processes that grade import this module too
    sys.exit(main())
