"""Room in the two local memories: what is where, and what has to leave."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import get_args

from haribote.resident.plan import Local, NoRoom, Version

SCRATCH = 3072
"""Words of LM from here on are for `op.scratch`; tensors lie below."""
FLOOR: dict[Local, int] = {"LM0": 0, "LM1": 128}
"""Where tensors begin: 5.34 may write 128 words of the LM that holds none of its operands, from word 0 on."""
ALIGNED = 4
LOCALS: tuple[Local, ...] = get_args(Local)


class Rooms:
    """The versions in LM."""

    def __init__(self, words: int | None = None) -> None:
        """words: of each memory that tensors may have, by default up to SCRATCH."""
        self.versions: list[Version] = []
        self._words = SCRATCH if words is None else words

    def find(self, value: str, tag: str, memory: Local | None = None) -> Version | None:
        """A tensor in a layout (in that memory), or None."""
        found = (v for v in self.versions if (v.value, v.tag) == (value, tag) and memory in (None, v.memory))
        return next(found, None)

    def free(self, memory: Local, words: int, start: int = 0, behind: int = 0) -> int | None:
        """The lowest address from `start` on with that many free words, and `behind` free words after them."""
        address = max(FLOOR[memory], -(-start // ALIGNED) * ALIGNED)
        for version in sorted(self._of(memory), key=lambda version: version.address):
            if address + words + behind <= version.address:
                break
            address = max(address, -(-version.end // ALIGNED) * ALIGNED)
        return address if address + words + behind <= self._words else None

    def is_free(self, memory: Local, start: int, end: int) -> bool:
        """Whether these words are there for tensors, and none is in them."""
        empty = all(version.end <= start or end <= version.address for version in self._of(memory))
        return empty and end <= self._words

    def victims(self, memory: Local, held: Collection[Version]) -> list[Version]:
        """What may leave a memory. Raises NoRoom where nothing may."""
        found = [version for version in self._of(memory) if version not in held and not version.home]
        if not found:
            raise NoRoom
        return found

    def _of(self, memory: Local) -> Iterator[Version]:
        return (version for version in self.versions if version.memory == memory)
