"""What several Gemm kernels share: how a single becomes two pseudo-singles, and rows that differ from MAB to MAB.

The matrix unit multiplies pseudo-singles: block floats that keep 18 mantissa bits, in blocks of 8 with one exponent.
One pseudo-single has an error of up to 2^-18 of the largest value of its block, 64 times that of a single. Therefore a
vector a is split into two (isa.md, sections 11.3 and 11.4):

    hi = gbfn(a)         the first 18 bits
    lo = gbfn(a - hi)    18 more: |a - hi - lo| <= 2^-36 max|a|

and a product takes three: a*b = hi*hi + hi*lo + lo*hi, within K * 2^-34 * max|a| * max|b| for a sum of K products. What
remains is the rounding of sums to singles, as in any arithmetic of singles. The small products are added first, so that
their own rounding does not count.

The vector unit cannot compute a - hi, as it does not read block floats. The matrix unit can: the unit matrix times -hi,
plus a, is a - hi. The difference of a value and its rounding is a single, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

ONE = 'i"0x3fc00000"'  # 1.0 as a block float: without hidden bit the mantissa field is 0.5
ZERO = 'i"0x3f800000"'  # 0.0 in a block whose exponent is that of 1.0


def unit_matrix(register: str) -> Iterator[str]:
    """Write the 8x8 unit matrix to matrix register `lx` or `ly`; uses T, mask entry 1, GRF1 words 496 to 503.

    Row r has its 1 in word r%2 of PE r/2, so with row r in cycle r, rows 0 to 3 have it where subpeid = r/2.
    """
    yield "zero $lt"
    yield 'imm i"1" $lt/0011'  # T = r/2: 0 0 1 1
    yield f"imm {ZERO} $ls496v"
    yield "ixor $subpeid $lt $omr1"  # 1 where the difference is 0
    yield f"imm {ONE} $s[496,499,500,503]/$imr1"
    yield "nop"
    yield f"gmwrite $ls496v ${register}0; msl $ls496v $nowrite"
    yield "msl $aluf $nowrite"  # rows 4 to 7 are rows 0 to 3, two PEs further on
    yield f"gmwrite $aluf ${register}4"


def low_parts(register: str, vectors: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """For each (a, hi, destinations) write gbfn(a - hi); `register` holds the unit matrix. One step more than vectors.

    While the matrix unit subtracts one vector, the ALU makes a block float of the vector before it.
    """
    finish = ""
    for a, hi, destinations in vectors:
        yield f"gmfma ${register} -{hi} {a} $nowrite{finish}"
        finish = f"; gbfn $mauf {destinations}"
    yield finish.removeprefix("; ")


def transposed(blocks: Sequence[tuple[str, str]], hi: Sequence[str]) -> Iterator[str]:
    """Transpose 8x8 blocks: columns 0 to 3 of block b to $lr{16b}, 4 to 7 to $lr{16b+8}; rounded, to hi[2b], hi[2b+1].

    blocks: rows 0 to 3 and 4 to 7. While one matrix register is written, the other is read, and the ALU makes block
    floats of what was read in the step before. Three steps more than halves of blocks.
    """
    for step in range(len(hi) + 3):
        half, units = step % 2, []
        if step < len(hi):
            units.append(f"gmwrite {blocks[step // 2][half]} $l{'xy'[step // 2 % 2]}{4 * half}")
        if 2 <= step < len(hi) + 2:
            units.append(f"gmread $l{'yx'[step // 2 % 2]}{4 * half} $lr{8 * (step - 2)}v")
        if step >= 3:
            units.append(f"gbfn $mreadf {hi[step - 3]}")
        yield "; ".join(units)


def through_t(operand: str) -> str:
    """The LM0 operand with T added to its address: `$lm8v4` becomes `$lmt8v4`."""
    return operand.replace("m", "mt", 1)
