"""`python -m benchmarks.fuzz`: see `benchmarks.fuzz.search`."""

import sys

from benchmarks.fuzz.search import main

sys.exit(main())
