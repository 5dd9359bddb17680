"""Which memories a product in the matrix unit uses, and how many vectors it takes at a time.

A step reads each memory at one address, so vectors, sums and matrices lie in three different ones. Sums are in GRF: of
LM, what was just written cannot be read soon.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil

from haribote.stack.code import GRF, LM, Code
from haribote.stack.places import NoRoom
from haribote.stack.products.core import SINGLE, Kind

GROUP, BLOCK = 8, 16
"""Words per PE of four vectors, and of an 8x8 block."""
MANY = 4
"""Groups of vectors at a time beside which the next matrices are written without waiting."""
MANY_ENOUGH = 3
"""The same where waiting a little is better than to split the vectors of all blocks at once."""


@dataclass(frozen=True)
class Banks:
    """vectors, sums, matrices: memories. in_place: sums grow where the results go. chunk: groups of vectors at once.
    in_blocks: vectors are split block by block, and their rounded parts wait in two buffers in turn.
    """

    vectors: str
    sums: str
    matrices: str
    in_place: bool
    chunk: int
    in_blocks: bool = False


def banks(
    code: Code,
    rows: int,
    groups: int,
    blocks: int,
    parts: int,
    targets: Collection[str],
    homes: Sequence[Collection[str]],
    kind: Kind,
    given: Sequence[str] = (),
) -> Banks:
    """Choose them. rows: row groups of the matrix; groups: of four vectors; blocks: of what is summed over; parts: of a
    single; targets: banks of the result; homes: banks of the matrix and of the vectors; given: where parts of
    the vectors lie ready. Raises NoRoom.
    """
    matrix, vector = homes
    own = [bank for bank in targets if bank in GRF and bank not in given][:1]
    found = []
    for sums in own or GRF:
        for vectors in given[:1] or (*GRF, *LM):
            if sums in (vectors, *given) or (not given and vectors in LM and set(vector) == {vectors}):
                continue
            most = (
                groups
                if given
                else (code.largest(vectors) - (2 * BLOCK if vectors in GRF else 0)) // (GROUP * blocks * parts)
            )
            if not own:
                most = min(most, (code.largest(sums) - 4 * kind.rows) // (4 * kind.words))
            good = min(most, groups, MANY)
            found.append(((good, vectors in GRF, vectors not in matrix, vectors not in targets), most, vectors, sums))
    _, most, vectors, sums = max(found, key=lambda option: option[0])
    if most < 1:
        need = GROUP * blocks * parts
        sizes = ", ".join(f"{code.largest(bank)} of {bank}" for bank in (*GRF, *LM))
        raise NoRoom(f"a product needs {need} words for four vectors; the largest free pieces are {sizes}", "less")
    rest = [bank for bank in (*reversed(LM), *GRF) if bank not in (vectors, sums)]
    matrices = min(
        rest, key=lambda bank: (bank in given, bank in LM and set(matrix) == {bank}, bank in GRF, bank in targets)
    )
    if blocks > 1 and matrices not in matrix and have_room(code, matrices, kind, parts, rows * blocks):
        most = min(most, small_chunk(groups))  # no matrix is made again, and the first results travel earlier
    return Banks(vectors, sums, matrices, bool(own), even_chunk(groups, most))


def in_blocks(code: Code, chosen: Banks, rows: int, groups: int, blocks: int, homes: Sequence[str]) -> Banks | None:
    """The memories of a product whose vectors are split block by block, the next beside the products of one, with room
    in a GRF, which can be read and written in a step. All at once they would often lie in an LM, where each is read or
    written, and the first products would wait until all are split.

    rows: row groups of the matrix; homes: banks of the matrix. None for a single block, where sums grow where the
    results go, and where sums and vectors of fewer than MANY_ENOUGH groups have room.
    """
    if chosen.in_place or blocks == 1:
        return None
    matrices = min(LM, key=lambda bank: (bank in homes, -code.largest(bank)))

    def fitting(sums: str, vectors: str) -> int:
        """Groups that have room: two rounded parts and one rest of each, and its sums."""
        return min(code.largest(vectors) // (3 * GROUP), code.largest(sums) // (GROUP * rows))

    sums, vectors = max((GRF, GRF[::-1]), key=lambda pair: (fitting(*pair), pair[0] == chosen.sums))
    most = fitting(sums, vectors)
    if most < min(MANY_ENOUGH, groups) or not have_room(code, matrices, SINGLE, 2, rows * blocks + 2):
        return None
    return Banks(vectors, sums, matrices, False, even_chunk(groups, most), in_blocks=True)


def have_room(code: Code, bank: str, kind: Kind, parts: int, blocks: int) -> bool:
    """Whether the matrices of so many blocks, each of so many parts, have room in a memory."""
    return code.largest(bank) >= 2 * kind.rows * parts * blocks


def small_chunk(groups: int) -> int:
    """Groups of vectors to take at a time: as few as hide how matrices are written, as many each time as can be."""
    return ceil(groups / max(groups // MANY, 1))


def even_chunk(groups: int, most: int) -> int:
    """Groups of vectors to take at a time: at most so many, in as few chunks as that allows, about as many in each."""
    return ceil(groups / ceil(groups / most))
