"""`python -m haribote`, the same as the command `haribote`."""

import sys

from simulator.packages import missing_packages_told

if __name__ == "__main__":
    with missing_packages_told():
        from haribote.commands.cli import main

        sys.exit(main())
