"""Random maps of two operands of which there is a product."""

from __future__ import annotations

from random import Random

from haribote.stack.maps import COPY, NOTHING, Bit, BitMap, address, axis_bits
from haribote.stack.products.core import HALF, SINGLE, Core, Kind
from haribote.stack.products.matching import FAR, turned
from haribote.stack.products.spec import Carry, Spec, Tag, map_of
from simulator.isa import L1BM_LONGS

TEXTS = ("nk,mk->nm", "kn,km->nm", "nk,km->nm", "nlk,kml->nm", "gnk,gkm->gnm", "bnk,mk->bnm", "nk,k->n")
SIZES = {"n": (16, 24, 40, 64, 3), "m": (16, 10, 4, 7), "k": (16, 24, 32, 64), "l": (4, 3), "g": (2, 3), "b": (5, 8)}


HOMES = (["GRF0"], ["GRF1"], ["LM0"], ["LM1"], ["GRF0", "GRF1"], ["LM1", "GRF0"])
LARGEST = 512


def contraction(random: Random) -> Spec:
    text = random.choice(TEXTS)
    a, b, _ = text.replace("->", ",").split(",")
    size = {letter: random.choice(SIZES[letter]) for letter in sorted({*a, *b})}
    return Spec.of(text, [size[letter] for letter in a], [size[letter] for letter in b])


def deal(
    random: Random, spec: Spec, near: bool, inner: tuple[Bit, ...] = (), half: bool = False
) -> tuple[BitMap, BitMap]:
    """Maps of both operands. near: W and PE carry bits that are summed over, perhaps after a turn; inner: further bits
    of the place that any index bit may stand at. half: the lowest address bit is near too."""
    while True:
        found = _dealt(random, spec, near, inner, HALF if half else SINGLE)
        if max(operand.longs for operand in found) <= LARGEST:
            return found


def _dealt(random: Random, spec: Spec, near: bool, inner: tuple[Bit, ...], kind: Kind) -> tuple[BitMap, BitMap]:
    left = [Tag(letter, i) for letter in spec.size for i in range(axis_bits(spec.size[letter]))]
    random.shuffle(left)
    tables: tuple[dict[Bit, Carry], dict[Bit, Carry]] = ({}, {})
    if near:
        summed = [tag for tag in left if tag.letter in spec.summed][: len(kind.near)]
        left = [tag for tag in left if tag not in summed]
        for table in tables:
            table |= dict(zip(kind.near, summed, strict=True))
    for bit in (*FAR, *inner):
        if left and random.random() < 0.4:
            tag = left.pop()
            for table, letters in zip(tables, (spec.a, spec.b), strict=True):
                table[bit] = tag if tag.letter in letters else COPY
        else:
            nothing = random.random() < 0.2
            for table in tables:
                table[bit] = NOTHING if nothing and random.random() < 0.5 else COPY
    ready = []
    for table, letters, shape in zip(tables, (spec.a, spec.b), ("a", "b"), strict=True):
        own = [tag for tag in left if tag.letter in letters]
        random.shuffle(own)
        full = table | {address(kind.lead + number): tag for number, tag in enumerate(own)}
        if near and len(own) >= 3 and random.random() < 0.4:
            turn = random.sample(range(kind.lead, kind.lead + len(own)), 3)
            full = turned(full, (turn[0], turn[1], turn[2]))
        sizes = [spec.size[letter] for letter in (spec.a if shape == "a" else spec.b)]
        ready.append(map_of(sizes, letters, "LM", full))
    return ready[0], ready[1]


def fitting(random: Random, found: BitMap) -> list[str]:
    """Banks for an operand: large ones in LM."""
    return random.choice(HOMES if found.longs <= 64 else HOMES[2:4])


def targets(core: Core) -> list[list[str]]:
    """Memories for the result."""
    banks = [["LM0"], ["LM1"], ["LM1", "LM0"]]
    if core.target.longs <= 32:
        banks += [["GRF0"], ["GRF1"], ["GRF1", "GRF0"], ["LM0", "GRF1"]]
    above = core.target_above
    return banks + [["L1BM"]] * 4 * (above is not None and above.longs <= L1BM_LONGS)
