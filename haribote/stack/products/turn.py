"""Transposing 8x8 blocks of an operand on the way: three of its address bits change places with W and the PE bits."""

from __future__ import annotations

from collections.abc import Collection

from haribote.stack.code import GRF, LM, Code
from haribote.stack.maps import address
from haribote.stack.places import Place, operand_text
from haribote.stack.products.core import Turn
from haribote.stack.products.matching import turned
from haribote.stack.products.spec import Spec, map_of
from haribote.stack.products.walk import ProductSide, walk

SPARE = 192
"""Words of GRF that a product needs beside its operands, about."""


def turn(
    code: Code, spec: Spec, letters: str, side: ProductSide, bits: Turn, busy: Collection[str] = ()
) -> ProductSide:
    """The operand with its blocks transposed, in scratch; itself where there is nothing to turn. busy: memories that
    may still be written meanwhile, which are taken last.

    A block's rows (the values of the address bits) are written to a matrix register and its columns read from it, two
    registers in turn: two steps for each block and three more.
    """
    if bits is None:
        return side
    (source, *_) = side.homes
    after = turned(side.carries, bits)
    slot = code.take(source.words, _banks(code, source, busy))
    place = Place(slot.bank, slot.address, map_of(source.map.shape, letters, "LM", after))
    inside = [address(number) for number in bits]
    outer = [tag for tag in side.tags() if tag not in [side.carries[bit] for bit in inside]]
    offsets = [2 * sum((row >> i & 1) << number for i, number in enumerate(bits)) for row in range(8)]
    reads: list[str] = []
    for number, values in enumerate(walk(spec, outer)):
        register = "lx" if number % 2 == 0 else "ly"
        start = 2 * side.longs(values)
        for half in (0, 4):
            at = [start + offset for offset in offsets[half : half + 4]]
            code.add(f"gmwrite {operand_text(source.memory, [source.address + o for o in at])} ${register}{half}")
            reads.append(f"gmread ${register}{half} {operand_text(place.memory, [place.address + o for o in at])}")
        code.add(*reads[:-2])
        del reads[:-2]
    code.add(*reads)
    return ProductSide((place,), after)


def _banks(code: Code, source: Place, busy: Collection[str]) -> list[str]:
    """GRF where that leaves room for more, else LM; not the LM that the operand is read from."""
    roomy = [bank for bank in GRF if code.largest(bank) >= source.words + SPARE]
    others = [bank for bank in (*LM, *GRF) if bank not in roomy and bank != source.memory]
    return [*roomy, *sorted(others, key=lambda bank: bank in busy)]
