"""What instructions compute, on Python integers and exact rationals, written from isa.md and from nothing else.

A datum is a list of four words, the most significant first; elements are bit patterns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tests.simulator.engine.numbers_oracle import (
    LOWER,
    encode,
    infinity,
    join,
    ones,
    product,
    reciprocal_sqrt_entry,
    sign_magnitude,
    split,
    staged_sum,
    value,
)

WIDTH = {"d": 64, "l": 64, "f": 32, "g": 32, "i": 32, "h": 16, "s": 16}


def cut(datum: list[int], width: int, count: int) -> list[int]:
    """The first `count` elements of `width` bits of a datum or of a long word given as words; what lacks is zero."""
    total, bits = 0, 32 * len(datum)
    for word in datum:
        total = total << 32 | word
    shifts = (bits - width * (i + 1) for i in range(count))
    return [total >> shift & ((1 << width) - 1) if shift >= 0 else 0 for shift in shifts]


def paste(elements: list[int], width: int, words: int) -> list[int]:
    """Words with the elements from the most significant end on."""
    total = 0
    for element in elements:
        total = total << width | element
    total <<= 32 * words - width * len(elements)
    return [total >> 32 * (words - 1 - i) & 0xFFFFFFFF for i in range(words)]


def signed(value: int, width: int) -> int:
    return value - (value >> (width - 1) << width)


# --- ALU, integers (section 10) --------------------------------------------------------------------------------------


def _right(x: int, y: int, w: int) -> int:
    return signed(x, w) >> y % w


Function = Callable[[int, int, int], int]
INTEGERS: dict[str, tuple[Function, Callable[[int, int, int, int], bool]]] = {
    # opcode without precision: result of (x, y, width), flag of (result, x, y, width)
    "inc": (lambda x, y, w: x + 1, lambda r, x, y, w: signed(r, w) >= 0),
    "dec": (lambda x, y, w: x - 1, lambda r, x, y, w: signed(r, w) >= 0),
    "add": (lambda x, y, w: x + y, lambda r, x, y, w: signed(r, w) >= 0),
    "sub": (lambda x, y, w: x - y, lambda r, x, y, w: signed(r, w) >= 0),
    "uinc": (lambda x, y, w: x + 1, lambda r, x, y, w: x + 1 < 1 << w),
    "udec": (lambda x, y, w: x - 1, lambda r, x, y, w: x > 0),
    "uadd": (lambda x, y, w: x + y, lambda r, x, y, w: x + y < 1 << w),
    "usub": (lambda x, y, w: x - y, lambda r, x, y, w: x >= y),
    "not": (lambda x, y, w: ~x, lambda r, x, y, w: r == 0),
    "lnot": (lambda x, y, w: x == 0, lambda r, x, y, w: r == 0),
    "and": (lambda x, y, w: x & y, lambda r, x, y, w: r == 0),
    "or": (lambda x, y, w: x | y, lambda r, x, y, w: r == 0),
    "xor": (lambda x, y, w: x ^ y, lambda r, x, y, w: r == 0),
    "lsl": (lambda x, y, w: x << y % w, lambda r, x, y, w: r == 0),
    "lsr": (_right, lambda r, x, y, w: r == 0),
    "ulsr": (lambda x, y, w: x >> y % w, lambda r, x, y, w: r == 0),
    "bsl": (lambda x, y, w: x << y % w | x >> (w - y % w), lambda r, x, y, w: r == 0),
    "bsr": (lambda x, y, w: x >> y % w | x << (w - y % w), lambda r, x, y, w: r == 0),
    "max": (lambda x, y, w: max(signed(x, w), signed(y, w)), lambda r, x, y, w: signed(x, w) >= signed(y, w)),
    "min": (lambda x, y, w: min(signed(x, w), signed(y, w)), lambda r, x, y, w: signed(x, w) <= signed(y, w)),
    "umax": (lambda x, y, w: max(x, y), lambda r, x, y, w: x >= y),
    "umin": (lambda x, y, w: min(x, y), lambda r, x, y, w: x <= y),
    "packbit": (lambda x, y, w: x << 1 | y >> (w - 1), lambda r, x, y, w: y >> (w - 1) == 0),
    "passa": (lambda x, y, w: x, lambda r, x, y, w: x == 0),
}

# --- ALU, floating point (section 10) --------------------------------------------------------------------------------


def _floor(x: int, letter: str) -> int:
    return x if split(x, letter)[1] in (0, ones(letter)) else encode(Fraction(math.floor(value(x, letter))), letter)


def _to_integer(x: int, letter: str, unsigned: bool) -> int:
    sign, exponent, _ = split(x, letter)
    width = WIDTH[letter]
    number = (-1) ** sign * Fraction(2) ** 70 if exponent == ones(letter) else value(x, letter)
    low, high = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    return min(max(int(abs(number) if unsigned else number), low), high) % 2**width


def _reciprocal_sqrt(x: int, letter: str) -> int:
    exponent = split(x, letter)[1]
    if exponent in (0, ones(letter)):
        return 0 if exponent else infinity(0, letter)
    return encode(reciprocal_sqrt_entry(abs(value(x, letter))), letter)


def _leaky(y: int, letter: str, change: int) -> int:
    sign, exponent, mantissa = split(y, letter)
    if exponent in (0, ones(letter)):
        return y
    return join(sign, exponent + change, mantissa, letter) if exponent + change > 0 else join(sign, 0, 0, letter)


def alu(op: str, letter: str, unsigned: bool, x: int, y: int) -> tuple[int, bool | None]:
    """Result and mask flag (None where the table has none) of one element."""
    width = WIDTH[letter]
    if letter in "lis" or op in ("passa", "packbit"):
        function, flag = INTEGERS.get(f"u{op}" if unsigned else op) or INTEGERS[op]
        result = int(function(x, y, width)) % 2**width
        return result, flag(result, x, y, width)
    positive = x >> (width - 1) == 0
    if op in ("max", "min"):
        a, b = value(x, letter), value(y, letter)
        chosen = a >= b if op == "max" else a <= b
        return x if chosen else y, chosen
    if op.startswith("relu"):
        clear = not x >> (width - 1 - int(op[4:] or 0)) & 1
        return y if clear else 1 << (width - 1), clear
    if op in ("lrelud", "lreluo", "ilrelud"):
        return y if positive else _leaky(y, letter, {"lrelud": -1, "lreluo": -3, "ilrelud": 1}[op]), positive
    if op == "rsqrt":
        return _reciprocal_sqrt(x, letter), positive
    return {"floor": lambda: _floor(x, letter), "ftoi": lambda: _to_integer(x, letter, unsigned)}[op](), None


# --- MAU (sections 9 and 11) -----------------------------------------------------------------------------------------


def convert(bits: int, source: str, target: str) -> int:
    """Widen exactly, or round; zeros keep their sign where they are widened."""
    if split(bits, source)[1] == 0:
        wider = WIDTH[target] > WIDTH[source]
        return join(split(bits, source)[0] if wider else 0, 0, 0, target)
    return encode(value(bits, source), target)


def operand(datum: list[int], letter: str, count: int, decoration: str) -> list[int]:
    """Elements of a MAU input; decoration: some of `-`, `e` and `r`."""
    stored = LOWER[letter] if "e" in decoration else "f" if "r" in decoration else letter
    elements = [
        convert(bits, stored, letter) if stored != letter else bits for bits in cut(datum, WIDTH[stored], count)
    ]
    return [bits ^ 1 << (WIDTH[letter] - 1) for bits in elements] if "-" in decoration else elements


def vector(op: str, letter: str, output: str, x: list[int], y: list[int], z: list[int], active: bool) -> list[int]:
    """vfma, vmul, vadd, vpassa on elements; active: whether this PE forms double products."""
    addend = "d" if letter == "d" else "f"
    results = []
    for a, b, c in zip(x, y, z, strict=True):
        total = product(a, b, letter) if op in ("vfma", "vmul") and active else Fraction(0)
        total += value(a, letter) if op in ("vadd", "vpassa") else 0
        total += value(c, addend) if op in ("vfma", "vadd") else 0
        results.append(encode(total, output))
    return results


# --- reductions (section 11.5) ---------------------------------------------------------------------------------------


def reduce(op: str, letter: str, inputs: list[int], stages: tuple[int, ...], output: str = "") -> int:
    """All inputs combined; output: another precision that the result is rounded to."""
    output = output or letter
    if op == "fadd":
        return staged_sum(inputs, letter, stages, output)
    if op in ("max", "min"):
        chosen = (max if op == "max" else min)(inputs, key=lambda bits: sign_magnitude(bits, letter))
        return chosen if output == letter else convert(chosen, letter, output)
    if op == "iadd":
        return sum(inputs) % 2 ** WIDTH[letter]
    if op in ("and", "or"):
        return int((all if op == "and" else any)(inputs))
    result = inputs[0]
    for bits in inputs[1:]:
        result = result & bits if op == "band" else result | bits
    return result
