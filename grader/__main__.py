"""`python -m grader`, the same as the command `grader`."""

import sys

from simulator.packages import missing_packages_told

if __name__ == "__main__":  # processes that grade import this module too
    with missing_packages_told():
        from grader.cli import main

        sys.exit(main())
