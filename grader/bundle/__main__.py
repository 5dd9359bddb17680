"""`python -m grader.bundle`, which `make bundle` runs: see `grader.bundle.archive`."""

import sys

from grader.bundle.archive import main

sys.exit(main())
