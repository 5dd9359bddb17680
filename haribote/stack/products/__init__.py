"""Products: one generator for contractions of any size, with the operands where they are.

Two cores. In the *matrix core* 8x8 blocks of one operand are written to a matrix register and vectors of the other are
multiplied by them, so the eight places at W and PE are summed over; in the *vector core* every PE multiplies what it
has. Both sum over address bits on the way, and leave PART where units hold parts.

Padding (places beyond an axis's end): blocks of addresses that are all padding are skipped, as far as the axes' bits at
addresses tell. Along an axis that is summed over one of the operands must hold zeros there; and where the bits at W and
PE of an operand (as it is multiplied, after a turn) are shared by padding and elements, both must, since the eight
share an exponent. Along other axes padding may hold anything, and so does the result there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.places import Place
from haribote.stack.products.core import Core, Precision, kind_of
from haribote.stack.products.halves import halve
from haribote.stack.products.matching import matrix_cores
from haribote.stack.products.matrix import emit_matrix
from haribote.stack.products.partners import candidates
from haribote.stack.products.spec import NoProduct, Spec
from haribote.stack.products.vector import emit_vector, vector_cores
from haribote.stack.products.zeros import Zeros, zeros

__all__ = ["Core", "NoProduct", "Precision", "Spec", "Zeros", "cores", "emit", "halve", "partners", "zeros"]


@lru_cache(maxsize=1 << 14)
def cores(spec: str, a: BitMap, b: BitMap, precision: Precision = "float") -> tuple[Core, ...]:
    """The ways to multiply operands with these maps, the fewest steps first; none where they do not fit.

    Raises NoProduct where the spec is not one of the maps' axes.
    """
    found = Spec.of(spec, a.shape, b.shape)
    both = *matrix_cores(found, a, b, precision), *vector_cores(found, a, b, precision)
    return tuple(sorted(both, key=lambda core: core.steps))


def partners(
    spec: str,
    which: str,
    known: BitMap,
    shape: Sequence[int],
    precision: Precision = "float",
    wanted: Callable[[BitMap], bool] = lambda found: True,
) -> list[BitMap]:
    """Maps for the other operand (`which`: "a" or "b"; shape: its map's) with which there are cores, those with the
    fewest steps first. wanted: of these.

    Its free index bits are at addresses, or dealt out to units where the known operand holds copies. Raises NoProduct.
    """
    shapes = (tuple(shape), known.shape) if which == "a" else (known.shape, tuple(shape))
    best: dict[BitMap, tuple[Core, ...]] = {}
    for found in candidates(Spec.of(spec, *shapes), which, known, shape, kind_of(precision)):
        if found not in best and wanted(found):
            both = (found, known) if which == "a" else (known, found)
            best[found] = cores(spec, *both, precision)[:1]
    return sorted((found for found in best if best[found]), key=lambda found: best[found][0].steps)


def emit(
    code: Code,
    core: Core,
    a: Sequence[Place],
    b: Sequence[Place],
    target: Place | Sequence[Place],
    halves: Sequence[Sequence[Place]] | None = None,
) -> None:
    """Add the lines of a product.

    a, b: the homes of the operands, the same map in one or more banks. target: one or more banks, with the map
    `core.target` or another that the core can give; or L1BM with `core.target_above`. Nothing else changes but
    scratch, T, mask entries and the matrix registers. halves: homes of the rounded part and of the rest of the operand
    that is not the matrix, as `halve` has made them; then its homes are not needed. Raises NoProduct and NoRoom.
    """
    if core.matrix:
        emit_matrix(code, core, a, b, target, halves)
    else:
        emit_vector(code, core, a, b, target)
