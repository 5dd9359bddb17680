"""`python -m grader.emitter < order and requests > replies`: a learner's answer as a process of its own.

Exit status 0 after the last request, 2 where the lines are of no use. What the answer prints goes to standard error.
"""

from __future__ import annotations

import os
import sys

from grader.emitter.serving import serve
from haribote.errors import HariboteError


def main() -> int:
    """Answer every request of standard input, one after the other."""
    lines = sys.stdin.buffer.readlines()
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as replies:
        os.dup2(2, 1)  # what the answer prints is no reply
        try:
            serve(lines, replies)
        except (HariboteError, KeyError) as error:
            print(f"grader.emitter: {error}", file=sys.stderr)
            return 2
        finally:
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
