"""A single becomes two pseudo-singles, so that the matrix unit multiplies singles.

The matrix unit multiplies pseudo-singles: block floats with 18 mantissa bits, in blocks of 8 (W and PE) that share an
exponent (isa.md, sections 11.3 and 11.4). Of a vector a

    hi = gbfn(a)         holds the first 18 bits
    lo = gbfn(a - hi)    18 more: |a - hi - lo| <= 2^-36 max|a|

and a product of singles takes three of them, hi*lo + lo*hi + hi*hi, within 2^-34 max|a| max|b| for each of its terms.
The vector unit reads no block floats, so the matrix unit subtracts: the unit matrix times -hi, plus a. The difference
of a value and its rounding is a single, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.stack.code import Code, Slot, long
from haribote.stack.places import BANKS

ONE = 'i"0x3fc00000"'  # 1.0 as a block float: without hidden bit the mantissa field is 0.5
ZERO = 'i"0x3f800000"'  # 0.0 in a block whose exponent is that of 1.0


def unit_matrix(code: Code, bank: str) -> Slot:
    """The rows of the 8x8 unit matrix as block floats, 16 words, in LM0 or LM1."""
    return code.table(("unit matrix", bank), 16, _unit_rows, (bank,))


def _unit_rows(_: Code, slot: Slot) -> Iterator[str]:
    """Row r has its 1 in word r%2 of PE r/2."""
    letter = long(slot)[2]
    for half in range(2):
        start = slot.address + 8 * half
        yield f'imm i"{2 * half}" $lt'
        yield f'imm i"{2 * half + 1}" $lt/0011'  # T = r/2, with row r in cycle r - 4*half
        yield "ixor $subpeid $lt $omr1"  # 1 where the difference is 0
        yield f"imm {ZERO} $nowrite"
        yield f"lpassa $aluf $l{letter}{start}v"
        yield f"imm {ONE} $nowrite"
        yield f"ipassa $aluf ${letter}[{start},{start + 3},{start + 4},{start + 7}]/$imr1"


def split(register: str, single: str, hi: str, lo: str, copy: str = "") -> Iterator[str]:
    """Both pseudo-singles of four vectors; `register` holds the unit matrix.

    copy: another place for hi, to be read at once; none in the memory of hi, of which no step writes two places.
    Operands of one step lie in different memories, and what LM was just given cannot be read soon: there hi is
    forwarded.
    """
    if copy and copy[2] == hi[2]:
        copy = ""
    near = copy or hi
    if near[2] in (single[2], BANKS["LM0"], BANKS["LM1"]):
        near = "$aluf"
    yield from rounding("gbfn", single, hi, copy)
    yield f"gmfma ${register} -{near} {single} $nowrite"
    yield f"gbfn $mauf {lo}"


def in_one_lm(a: str, b: str) -> bool:
    """Whether two operands lie in the same LM, which no step reads and writes."""
    one, two = (operand.lstrip("$l")[0] for operand in (a, b))
    return one == two and one in (BANKS["LM0"], BANKS["LM1"])


def rounding(name: str, single: str, target: str, copy: str = "") -> Iterator[str]:
    """Four vectors rounded (`gbfn`, `hbfn`), in two steps where both places are in one LM. target: one operand or more;
    copy: in a GRF.
    """
    if any(in_one_lm(single, operand) for operand in target.split()):
        yield f"{name} {single} {copy or '$nowrite'}"
        yield f"lpassa $aluf {target}"
    else:
        yield f"{name} {single} {target} {copy}".rstrip()
