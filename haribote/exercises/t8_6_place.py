"""Task 8.6: memory for values.

It is taught in notebooks/08_frontends/05_cut_and_deploy, section 4.
Check it with `grader check 8.6`; if you are stuck, `grader hint 8.6`.
"""

from __future__ import annotations

from collections.abc import Sequence

from haribote.cpp.arena import Buffer
from haribote.errors import NotWritten


def place(buffers: Sequence[Buffer]) -> list[int]:
    """Where each buffer begins in one block of memory, in bytes from its beginning.

    buffer.size: bytes, a multiple of 64; buffer.first: the number of the node that writes it; buffer.last: of the last
    node that reads it, at least `first`. The buffers are sorted by `first`. Two of them that are needed at the same
    time may have no byte in common; while a node runs, what it reads and what it writes are both needed. Offsets are
    multiples of 64. The block must not become larger than it does when each buffer, in the order given, gets the lowest
    offset that is free as long as it is needed.
    """
    # TODO: about 10 lines.
    raise NotWritten("task 8.6 (memory for values) is not written yet; check it with `grader check 8.6`")
