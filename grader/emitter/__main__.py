"""`python -m grader.emitter TASK FILE < requests > replies`: a learner's answer as a process of its own.

Exit status 0 after the last request, 2 where the requests are of no use. What the answer prints goes to standard error.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.emitter.serving import serve
from haribote.errors import HariboteError


def main() -> int:
    """Answer every request of standard input, one after the other."""
    if len(sys.argv) != 3:
        print("usage: python -m grader.emitter TASK FILE < requests > replies", file=sys.stderr)
        return 2
    requests = sys.stdin.buffer.readlines()
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as replies:
        os.dup2(2, 1)  # what the answer prints is no reply
        try:
            serve(sys.argv[1], Path(sys.argv[2]).resolve(), requests, replies)
        except (HariboteError, KeyError) as error:
            print(f"grader.emitter: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
