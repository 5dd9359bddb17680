"""ALU instructions (isa.md, section 10).

The elements of long word 0 are processed; long word 1 of the result is long word 1 of x, except for the instructions
that handle both long words: zero, imm, passa and hbfn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine import numbers
from simulator.engine.numpy.action import Action, NotExecutable, Result, latch_path
from simulator.engine.numpy.masks import flusher
from simulator.engine.numpy.operands import reader, wants_flags, writers
from simulator.engine.state.elements import WIDTH, Elements, fit, pack, unpack
from simulator.engine.state.memories import Memories, Words
from simulator.isa import ALL_MABS, ALL_PES
from simulator.isa.program import Immediate, Instruction
from simulator.messages import tr

ElementFlags = NDArray[np.bool_]
Function = Callable[[Elements, Elements], Elements]
FlagFunction = Callable[[Elements, Elements, Elements], ElementFlags]  # of result, x and y
HALF_BITS = 9  # [A] the n of `hbfn` and `hbfe` where none is written


def decode(instruction: Instruction) -> Action[Result]:
    """The action of an ALU instruction. Raises NotExecutable."""
    if instruction.op in ("zero", "imm"):
        compute = _constant(instruction)
    elif instruction.op in ("msl", "msr"):
        compute = _neighbour(instruction)
    elif instruction.op in ("bfn", "bfe"):
        compute = _block_float(instruction)
    else:
        compute = _elementwise(instruction)
    flush = flusher(instruction.flush)

    def flushed(memories: Memories) -> Result:
        result = compute(memories)
        return Result(flush(memories, result.words), result.flags)

    run = compute if instruction.flush is None else flushed
    return Action(run, writers(instruction.destinations), latch_path("aluf"))


def without_flags(instruction: Instruction) -> None:
    """Refuse a mask register as destination of an instruction that has no flags."""
    if wants_flags(instruction.destinations):
        name = f"{instruction.precision}{instruction.op}"
        raise NotExecutable(
            tr("`{name}` has no mask flags for $omr", name), tr("write its result elsewhere, then passa that")
        )


def _constant(instruction: Instruction) -> Callable[[Memories], Result]:
    """zero, and imm: the literal in all 4 words (immu: in words 0 and 2)."""
    without_flags(instruction)
    words = np.zeros((1, 4, 1), np.uint32)
    if instruction.op == "imm":
        literal = cast(Immediate, instruction.sources[0].operand).word
        words[:, 0 :: 2 if instruction.unsigned else 1] = literal
    result = Result(words)
    return lambda _: result


def _neighbour(instruction: Instruction) -> Callable[[Memories], Result]:
    """msl, msr: long word 0 of PE p-1 or p+1 of the same MAB."""
    without_flags(instruction)
    read = reader(instruction.sources[0].operand)
    shift = 1 if instruction.op == "msl" else -1

    def compute(memories: Memories) -> Result:
        x = read(memories)
        words = np.array(np.broadcast_to(x, (len(x), x.shape[1], ALL_PES)))
        by_mab = words.reshape(*words.shape[:2], ALL_MABS, isa.PES_PER_MAB)
        by_mab[:, :2] = np.roll(by_mab[:, :2], shift, axis=3)
        return Result(words)

    return compute


def _block_float(instruction: Instruction) -> Callable[[Memories], Result]:
    """dbfn, fbfn, gbfn, hbfn/n, hbfe/n (section 11.3). [A] hbfe converts long word 1 as a block of its own, as hbfn.

    Suffix `r`: the four singles of both long words become the four halves of long word 0. [A] Long word 1 is then 0.
    """
    without_flags(instruction)
    letter, keep = instruction.precision, instruction.kept
    extended = instruction.op == "bfe"
    read = reader(instruction.sources[0].operand, letter)
    width = WIDTH[letter]

    def convert(long_word: Words) -> Words:
        elements = unpack(long_word, width, 64 // width)
        elements = np.broadcast_to(elements, (*elements.shape[:2], ALL_PES))
        by_mab = elements.reshape(*elements.shape[:2], ALL_MABS, isa.PES_PER_MAB)
        axes = 3 if letter in "df" else (1, 3)
        if extended:
            blocks = numbers.extended_block_float(by_mab, axes, HALF_BITS if keep is None else keep)
        else:
            blocks = numbers.block_float(by_mab, letter, axes, keep)
        return pack(blocks.reshape(elements.shape))

    narrows = instruction.sources[0].narrow

    def compute(memories: Memories) -> Result:
        x = read(memories)
        if narrows:
            x = pack(numbers.narrow(unpack(x, 32, 4), numbers.SINGLE, numbers.HALF))
        first = convert(x[:, :2])
        if x.shape[1] <= 2:
            return Result(first)
        return Result(_with_second_long_word(first, convert(x[:, 2:]) if letter == "h" else x[:, 2:]))

    return compute


def _with_second_long_word(first: Words, second: Words) -> Words:
    shape = np.broadcast_shapes(first.shape[::2], second.shape[::2])
    words = np.empty((shape[0], 4, shape[1]), np.uint32)
    words[:, :2] = first
    words[:, 2:] = second
    return words


def _elementwise(instruction: Instruction) -> Callable[[Memories], Result]:
    function, flag_function = _functions(instruction)
    wanted = wants_flags(instruction.destinations)
    if wanted and flag_function is None:
        without_flags(instruction)
    width = WIDTH[instruction.precision]
    count = 64 // width
    read_x, *other = (reader(source.operand, instruction.precision) for source in instruction.sources)
    read_y = other[0] if other else None
    passes = instruction.op == "passa"

    def compute(memories: Memories) -> Result:
        datum = read_x(memories)
        if passes and not wanted:
            return Result(np.array(datum))
        x = unpack(datum, width, count)
        y = x if read_y is None else unpack(read_y(memories), width, count)
        elements = function(x, y)
        words = np.array(datum) if passes else pack(elements)
        if not passes and datum.shape[1] > 2:
            words = _with_second_long_word(words, fit(datum[:, 2:], 2))
        if not wanted or flag_function is None:
            return Result(words)
        return Result(words, np.repeat(flag_function(elements, x, y), 4 // count, axis=1))

    return compute


# --- the functions ---------------------------------------------------------------------------------------------------


def _signed(elements: Elements) -> Elements:
    return elements.view(f"i{elements.dtype.itemsize}")


def _top_bit_clear(elements: Elements) -> ElementFlags:
    return np.asarray(_signed(elements) >= 0)


def _is_zero(result: Elements, x: Elements, y: Elements) -> ElementFlags:
    return np.asarray(result == 0)


def _not_negative(result: Elements, x: Elements, y: Elements) -> ElementFlags:
    return _top_bit_clear(result)


def _amount(x: Elements, y: Elements) -> Elements:
    """Shift amounts: the low bits of y, modulo the width."""
    return np.asarray(y & (8 * x.dtype.itemsize - 1))


def _rotate_left(x: Elements, amount: Elements) -> Elements:
    width = 8 * x.dtype.itemsize
    return np.asarray(x << amount | x >> ((width - amount) & (width - 1)))


def _arithmetic_right(x: Elements, y: Elements) -> Elements:
    shifted: Elements = _signed(x) >> _signed(_amount(x, y))
    return shifted.view(x.dtype)


_INTEGER: dict[str, tuple[Function, FlagFunction]] = {
    "inc": (lambda x, y: x + 1, _not_negative),
    "dec": (lambda x, y: x - 1, _not_negative),
    "add": (lambda x, y: x + y, _not_negative),
    "sub": (lambda x, y: x - y, _not_negative),
    "not": (lambda x, y: ~x, _is_zero),
    "lnot": (lambda x, y: (x == 0).astype(x.dtype), _is_zero),
    "and": (lambda x, y: x & y, _is_zero),
    "or": (lambda x, y: x | y, _is_zero),
    "xor": (lambda x, y: x ^ y, _is_zero),
    "lsl": (lambda x, y: x << _amount(x, y), _is_zero),
    "lsr": (_arithmetic_right, _is_zero),
    "bsl": (lambda x, y: _rotate_left(x, _amount(x, y)), _is_zero),
    "bsr": (lambda x, y: _rotate_left(x, -_amount(x, y) & (8 * x.dtype.itemsize - 1)), _is_zero),
    "max": (lambda x, y: np.maximum(_signed(x), _signed(y)).view(x.dtype), lambda r, x, y: _signed(x) >= _signed(y)),
    "min": (lambda x, y: np.minimum(_signed(x), _signed(y)).view(x.dtype), lambda r, x, y: _signed(x) <= _signed(y)),
}
# Flags of the unsigned forms: no overflow, no borrow.
_UNSIGNED: dict[str, tuple[Function, FlagFunction]] = {
    **_INTEGER,
    "inc": (_INTEGER["inc"][0], lambda r, x, y: r != 0),
    "dec": (_INTEGER["dec"][0], lambda r, x, y: x != 0),
    "add": (_INTEGER["add"][0], lambda r, x, y: r >= x),
    "sub": (_INTEGER["sub"][0], lambda r, x, y: x >= y),
    "lsr": (lambda x, y: x >> _amount(x, y), _is_zero),
    "max": (lambda x, y: np.maximum(x, y), lambda r, x, y: x >= y),
    "min": (lambda x, y: np.minimum(x, y), lambda r, x, y: x <= y),
}
_ANY: dict[str, tuple[Function, FlagFunction]] = {
    "passa": (lambda x, y: x, _is_zero),
    "packbit": (lambda x, y: x << 1 | y >> (8 * y.dtype.itemsize - 1), lambda r, x, y: _top_bit_clear(y)),
}


def _functions(instruction: Instruction) -> tuple[Function, FlagFunction | None]:
    """What an instruction computes per element, and its mask flags (None where the table has none)."""
    op, letter = instruction.op, instruction.precision
    table = _ANY if op in _ANY else _UNSIGNED if instruction.unsigned else _INTEGER
    if op in _ANY or (letter in "lis" and op in table):
        return table[op]
    if letter in numbers.FORMATS:
        found = _float_functions(op, numbers.FORMATS[letter], instruction.unsigned)
        if found is not None:
            return found
    raise NotExecutable(tr("`{letter}{op}` is not executed by this version of the simulator", letter, op))


def _float_functions(op: str, fmt: numbers.Format, unsigned: bool) -> tuple[Function, FlagFunction | None] | None:
    if op in ("max", "min"):
        choose = numbers.maximum if op == "max" else numbers.minimum
        return lambda x, y: choose(x, y, fmt)[0], lambda r, x, y: choose(x, y, fmt)[1]
    if op.startswith("relu"):
        bit = int(op.removeprefix("relu") or 0)
        return lambda x, y: numbers.relu(x, y, fmt, bit)[0], lambda r, x, y: numbers.relu(x, y, fmt, bit)[1]
    if op in ("lrelud", "lreluo", "ilrelud"):
        scaling = cast(Any, op)
        return lambda x, y: numbers.leaky_relu(x, y, fmt, scaling)[0], lambda r, x, y: _top_bit_clear(x)
    if op == "rsqrt":
        return lambda x, y: numbers.reciprocal_sqrt(x, fmt), lambda r, x, y: _top_bit_clear(x)
    if op == "floor":
        return lambda x, y: numbers.floor(x, fmt), None
    if op == "ftoi":
        return lambda x, y: numbers.to_integer(x, fmt, unsigned), None
    return None
