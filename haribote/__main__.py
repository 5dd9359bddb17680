"""`python -m haribote`, the same as the command `haribote`."""

import sys

from haribote.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
