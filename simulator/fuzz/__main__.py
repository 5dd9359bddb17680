"""`python -m simulator.fuzz`: see `simulator.fuzz.search`."""

import sys

from simulator.fuzz.search import main

sys.exit(main())
