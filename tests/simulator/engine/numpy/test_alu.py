"""ALU instructions on small programs, against Python integers element by element (isa.md, section 10)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from simulator import Machine
from simulator.engine.numbers import SINGLE, block_float, extended_block_float, from_float64, reciprocal_sqrt
from tests.simulator.engine.machines import run
from tests.simulator.engine.scalars import INTEGERS

WIDTH = {"l": 64, "i": 32, "s": 16}
PES = range(12)  # each has its own operands


def operands(seed: int = 3) -> Machine:
    """x in LM0, y in LM1: random long words, zeros, ones and all bits set."""
    machine = Machine()
    rng = np.random.default_rng(seed)
    for memory in (machine.lm0, machine.lm1):
        memory[:16] = rng.choice(np.array([0, 1, 0x8000, 0xFFFF, 0x80000000, 0xFFFFFFFF, 77], np.uint32), (16, 4096))
        memory[:16:3] = rng.integers(0, 1 << 32, (6, 4096), np.uint32)
    return machine


def elements(long_word: int, width: int) -> list[int]:
    return [long_word >> shift & ((1 << width) - 1) for shift in range(64 - width, -1, -width)]


ONE_INPUT = ("inc", "dec", "uinc", "udec", "not", "lnot", "passa")


@pytest.mark.parametrize("letter", "lis")
@pytest.mark.parametrize("name", INTEGERS)
def test_integer_functions(name: str, letter: str) -> None:
    function, flag = INTEGERS[name]
    unsigned = name.startswith("u")
    opcode = f"u{letter}{name[1:]}" if unsigned else f"{letter}{name}"
    machine = operands()
    run(machine, f"{opcode} $lm0v {'' if name in ONE_INPUT else '$ln0v'} $lr0v $omr2")
    width = WIDTH[letter]
    for pe in PES:
        for c in range(4):
            x, y, got = (
                int(memory[2 * c, pe]) << 32 | int(memory[2 * c + 1, pe])
                for memory in (machine.lm0, machine.lm1, machine.grf0)
            )
            wanted, flags = 0, []
            for a, b in zip(elements(x, width), elements(y, width), strict=True):
                result = int(function(a, b, width)) & ((1 << width) - 1)
                wanted = wanted << width | result
                flags += [flag(result, a, b, width)] * (width // 16)
            assert got == wanted
            assert machine.omr[2, c, :, pe].tolist() == flags


def test_only_long_word_0_is_processed() -> None:
    machine = run(
        operands(), "iadd $llm0v $lln0v $llr0v", "ipassa $llm0v $lls0v", "hbfn/9 $llm0v $lls16v", "gbfn $llm0v $lls32v"
    )
    x = machine.lm0[:16].reshape(4, 4, -1)
    assert (machine.grf0[:16].reshape(4, 4, -1)[:, 2:] == x[:, 2:]).all()
    assert (machine.grf1[:16].reshape(4, 4, -1) == x).all()
    halves = machine.grf1[16:32].reshape(4, 4, -1)
    run(machine, "hbfn/9 $lm[2,6,10,14] $ls0v")  # the second long words by themselves
    assert (machine.grf1[:8].reshape(4, 2, -1) == halves[:, 2:]).all()
    assert (machine.grf1[32:48].reshape(4, 4, -1)[:, 2:] == x[:, 2:]).all()


def test_constants() -> None:
    machine = run(operands(), 'imm i"-2" $llr0', 'immu i"9" $llr4', "zero $lln0v", 'imm s"3" $r8', 'imm h"1" $r9')
    assert (machine.grf0[:4] == 0xFFFFFFFE).all()
    assert (machine.grf0[4:8, 0] == [9, 0, 9, 0]).all()
    assert not machine.lm1[:16].any()
    assert (machine.grf0[8:10, 0] == [0x00030003, 0x3E003E00]).all()


def test_neighbours() -> None:
    machine = run(operands(), "msl $llm0v $llr0v", "msr $lm0v $ls0v")
    x = machine.lm0[:16].reshape(4, 4, 1024, 4)
    left = machine.grf0[:16].reshape(4, 4, 1024, 4)
    for p in range(4):
        assert (left[:, :2, :, p] == x[:, :2, :, (p - 1) % 4]).all()
        assert (
            machine.grf1[:8].reshape(4, 2, 1024, 4)[..., p] == machine.lm0[:8].reshape(4, 2, 1024, 4)[..., (p + 1) % 4]
        ).all()
    assert (left[:, 2:] == x[:, 2:]).all()  # long word 1 stays


def test_fixed_values_stand_in_every_element() -> None:
    machine = run(
        Machine(),
        "ipassa $l2bid $lr0", "ipassa $l1bid $lr2", "ipassa $mabid $lr4", "ipassa $peid $lr6", "ipassa $subpeid $lr8",
        "lpassa $peid $lr10", "spassa $mabid $lr12", "lpassa $msb1 $lr14", "ipassa $msb1 $lr16", "hpassa $msb1 $lr18",
    )  # fmt: skip
    for l2b, b, m, p in ((0, 0, 0, 0), (5, 3, 14, 2), (7, 7, 15, 3)):
        pe = ((l2b * 8 + b) * 16 + m) * 4 + p
        values = [l2b, l2b, b, b, m, m, 4 * m + p, 4 * m + p, p, p, 0, 4 * m + p, m << 16 | m, m << 16 | m]
        values += [0x80000000, 0, 0x80000000, 0x80000000, 0x80008000, 0x80008000]
        assert machine.grf0[:20, pe].tolist() == values


def test_floating_point_functions() -> None:
    machine = Machine()
    x = np.array([1.5, -1.5, 0.0, -0.0, 7.25, -300.5, np.inf, -np.inf], np.float32)
    y = np.array([2.5, -1.0, -0.0, 0.0, -7.25, 8.0, 1.0, 3.0], np.float32)
    machine.lm0[:8], machine.lm1[:8] = x.view(np.uint32)[:, None], y.view(np.uint32)[:, None]
    run(
        machine,
        "frelu $lm0v $ln0v $lr0v", "fmax $lm0v $ln0v $lr8v $omr1", "ffloor $lm0v $lr16v", "fftoi $lm0v $lr24v",
        "frsqrt $lm0v $lr32v",
    )  # fmt: skip
    result = machine.grf0[:, 0].view(np.float32)
    assert result[:8].tobytes() == np.array([2.5, -0.0, -0.0, -0.0, -7.25, -0.0, 1.0, -0.0], np.float32).tobytes()
    assert result[8:16].tobytes() == np.array([2.5, -1.0, 0.0, -0.0, 7.25, 8.0, np.inf, 3.0], np.float32).tobytes()
    chosen = np.repeat([[0, 0], [1, 1], [1, 0], [1, 0]], 2, axis=1)  # x chosen or equal, twice per single
    assert (machine.omr[1, :, :, 0] == chosen).all()
    assert result[16:24].tobytes() == np.array([1, -2, 0, -0.0, 7, -301, np.inf, -np.inf], np.float32).tobytes()
    integers = [1, -1, 0, 0, 7, -300, 2**31 - 1, -(2**31)]
    assert machine.grf0[24:32, 0].view(np.int32).tolist() == integers
    assert (machine.grf0[32:40, 0] == reciprocal_sqrt(x.view(np.uint32), SINGLE)).all()


def test_relu_looks_at_the_bit_that_its_number_names() -> None:
    machine = Machine()
    machine.lm0[:4] = np.array([1 << 31, 1 << 30, 1 << 29, 1 << 28], np.uint32)[:, None]
    machine.lm1[:4] = 5
    run(machine, *(f"frelu{k} $m0v $n0v $r{4 * k}v" for k in range(4)))
    for k in range(4):
        assert machine.grf0[4 * k : 4 * k + 4, 0].tolist() == [1 << 31 if bit == k else 5 for bit in range(4)]


@pytest.mark.parametrize("letter", "fg")
def test_block_floats_share_the_exponent_across_the_mab(letter: str) -> None:
    machine = Machine()
    values = np.random.default_rng(4).normal(size=(8, 4096)) * 100
    machine.lm0[:8] = from_float64(values, SINGLE)
    run(machine, f"{letter}bfn $lm0v $lr0v")
    for mab in (0, 7, 1023):
        for c in range(4):
            block = machine.lm0[2 * c : 2 * c + 2, 4 * mab : 4 * mab + 4]
            got = machine.grf0[2 * c : 2 * c + 2, 4 * mab : 4 * mab + 4]
            parts = [block] if letter == "g" else [block[0], block[1]]
            wanted = np.concatenate([block_float(part.ravel(), letter, 0) for part in parts])
            assert (got.ravel() == wanted).all()
            exponents = got >> np.uint32(23) & np.uint32(0xFF)
            assert all(len(set(part.ravel().tolist())) == 1 for part in ([exponents] if letter == "g" else exponents))


@pytest.mark.parametrize("keep", [6, 7, 8, 9])
@pytest.mark.parametrize(("op", "convert"), [("hbfn", block_float), ("hbfe", extended_block_float)])
def test_half_blocks_are_the_four_halves_of_four_pes(op: str, convert: Callable[..., np.ndarray], keep: int) -> None:
    machine = Machine()
    machine.lm0[:16] = np.random.default_rng(5).integers(0, 1 << 32, (16, 4096), np.uint32)
    run(machine, f"{op}/{keep} $llm0v $llr0v")
    for mab, c, w in product((0, 9, 1023), range(4), range(2)):
        rows, pes = slice(4 * c + 2 * w, 4 * c + 2 * w + 2), slice(4 * mab, 4 * mab + 4)
        halves = [half for word in machine.lm0[rows, pes].ravel().tolist() for half in (word >> 16, word & 0xFFFF)]
        block = np.array(halves, np.uint16)
        wanted = convert(block, axis=0, keep=keep) if op == "hbfe" else convert(block, "h", 0, keep)
        got = [half for word in machine.grf0[rows, pes].ravel().tolist() for half in (word >> 16, word & 0xFFFF)]
        assert got == wanted.tolist()
