"""Every spelling of every arithmetic instruction, on bits of all kinds, against exact rationals (scalars.py)."""

from __future__ import annotations

import random
from itertools import product
from zlib import crc32

import numpy as np
import pytest

from simulator import Machine
from simulator.assembly.opcodes import MOVE_OPCODES, OPCODES, Opcode
from tests.simulator.engine import scalars
from tests.simulator.engine.machines import run
from tests.simulator.engine.numbers_oracle import (
    LOWER,
    block,
    encode,
    extended_block,
    patterns,
    row_times_vector,
    value,
)
from tests.simulator.engine.scalars import WIDTH, cut, paste

PES = (0, 1, 2, 3, 4092, 4093, 4094, 4095)  # two MABs
CYCLES = range(4)
Data = list[list[list[int]]]  # [cycle][pe of PES] -> four words

SPELLED = {text: opcode for text, opcode in OPCODES.items() if opcode.row.unit in ("alu", "mau")}
MATRIX = [text for text, opcode in SPELLED.items() if opcode.row.name in ("mmul", "mfma")]
VECTOR = [text for text, opcode in SPELLED.items() if opcode.row.name in ("vfma", "vmul", "vadd", "vpassa")]
BLOCKS = [text for text, opcode in SPELLED.items() if opcode.row.name in ("bfn", "bfe")]
MOVED = ("zero", "imm", "immu", "msl", "msr")  # engine/numpy/test_alu.py
ELEMENTWISE = [text for text in SPELLED if text not in (*MATRIX, *VECTOR, *BLOCKS, *MOVED)]
REDUCTIONS = [text for text, opcode in OPCODES.items() if opcode.row.reduces]


def rng_for(text: str) -> random.Random:
    return random.Random(crc32(text.encode()))


def drawn(rng: random.Random, letter: str) -> Data:
    """Random data for every cycle and PE: patterns of a floating-point precision, or integers with edges."""

    def element() -> int:
        width = WIDTH[letter]
        if letter in "dfgh":
            return patterns(rng, letter, 1)[0]
        return rng.choice((0, 1, 2**width - 1, 2 ** (width - 1), rng.getrandbits(width), rng.getrandbits(5)))

    return [[paste([element() for _ in range(128 // WIDTH[letter])], WIDTH[letter], 4) for _ in PES] for _ in CYCLES]


def store(memory: np.ndarray, data: Data) -> None:
    """Data as the operand `$ll?0v` reads it."""
    memory[:16][:, PES] = np.array(data, np.uint32).transpose(0, 2, 1).reshape(16, len(PES))


def load(memory: np.ndarray) -> Data:
    return memory[:16][:, PES].reshape(4, 4, len(PES)).transpose(0, 2, 1).tolist()


# --- ALU -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ELEMENTWISE)
def test_alu(text: str) -> None:
    opcode, rng, machine = SPELLED[text], rng_for(text), Machine()
    letter, op = opcode.precision, opcode.row.name
    x, y = drawn(rng, letter), drawn(rng, letter)
    for c, pe in product(CYCLES, range(len(PES))):
        if rng.random() < 0.3:
            y[c][pe] = x[c][pe]
    store(machine.lm0, x)
    store(machine.lm1, y)
    has_flags = scalars.alu(op, letter, opcode.unsigned, 0, 0)[1] is not None
    second = " $lln0v" * (len(opcode.row.forms[0].sources) > 1)
    run(machine, f"{text} $llm0v{second} $llr0v{' $omr1' * has_flags}")
    got, width = load(machine.grf0), WIDTH[letter]
    for c, pe in product(CYCLES, range(len(PES))):
        count = 64 // width
        pairs = zip(cut(x[c][pe], width, count), cut(y[c][pe], width, count), strict=True)
        results = [scalars.alu(op, letter, opcode.unsigned, a, b) for a, b in pairs]
        assert got[c][pe] == paste([result for result, _ in results], width, 2) + x[c][pe][2:], (x[c][pe], y[c][pe])
        if has_flags:
            flags = [flag for _, flag in results for _ in range(4 // count)]
            assert machine.omr[1, c, :, PES[pe]].tolist() == flags


@pytest.mark.parametrize(
    ("text", "number"),
    [(text, n) for text in BLOCKS for n in ("", "/6", "/7", "/8", "/9")[: 5 if text[0] == "h" else 1]],
)
def test_block_floats(text: str, number: str) -> None:
    opcode, rng, machine = SPELLED[text], rng_for(text + number), Machine()
    letter = opcode.precision
    width, kept = WIDTH[letter], int(number[1:] or {"d": 52, "f": 23, "g": 18, "h": 9}[letter])
    x = drawn(rng, letter)
    for c, pe in product(CYCLES, range(len(PES))):  # most numbers near 1, so that blocks have something to round
        if c:
            near = [
                encode(rng.choice((1, -1)) * value(0x3F800000 + rng.getrandbits(25), "f"), letter) for _ in range(8)
            ]
            x[c][pe] = paste(near[: 128 // width], width, 4)
    store(machine.lm0, x)
    run(machine, f"{text}{number} $llm0v $llr0v")
    got = load(machine.grf0)
    for c, mab, half in product(CYCLES, range(2), range(2)):
        mine = range(4 * mab, 4 * mab + 4)
        given = [cut(x[c][pe][2 * half : 2 * half + 2], width, 64 // width) for pe in mine]
        groups = [[elements] for elements in zip(*given, strict=True)] if letter == "f" else [given]
        flat = [[bits for elements in group for bits in elements] for group in groups]
        convert = extended_block if text == "hbfe" else lambda bits, keep: block(bits, letter, keep)
        wanted = [convert(bits, kept) for bits in flat]
        if half and letter != "h":  # long word 1 is left alone
            wanted = flat
        found = [cut(got[c][pe][2 * half : 2 * half + 2], width, 64 // width) for pe in mine]
        if letter == "f":
            assert [list(elements) for elements in zip(*found, strict=True)] == wanted
        else:
            assert [[bits for elements in found for bits in elements]] == wanted


@pytest.mark.parametrize("text", ["hbfn", "hbfe"])
@pytest.mark.parametrize("kept", [6, 9])
def test_half_blocks_of_four_singles(text: str, kept: int) -> None:
    """Suffix `r`: the singles of both long words are rounded to the halves of long word 0; long word 1 is 0."""
    rng, machine = rng_for(f"{text}{kept}"), Machine()
    x = drawn(rng, "f")
    store(machine.lm0, x)
    run(machine, f"{text}/{kept} $llm0vr $llr0v", f"{text}/{kept} $llm0vr $nowrite", "lpassa $aluf $ls0v")
    got = load(machine.grf0)
    assert (machine.grf1[:8].reshape(4, 2, -1) == machine.grf0[:16].reshape(4, 4, -1)[:, :2]).all()
    for c, mab in product(CYCLES, range(2)):
        mine = range(4 * mab, 4 * mab + 4)
        halves = [scalars.operand(x[c][pe], "h", 4, "r") for pe in mine]
        flat = [bits for elements in halves for bits in elements]
        wanted = extended_block(flat, kept) if text == "hbfe" else block(flat, "h", kept)
        assert [bits for pe in mine for bits in cut(got[c][pe], 16, 8)] == [
            bits for pe in range(4) for bits in (*wanted[4 * pe : 4 * pe + 4], 0, 0, 0, 0)
        ]


# --- MAU -------------------------------------------------------------------------------------------------------------

DECORATED = [
    ("", "", ""),
    ("-", "", "-"),
    ("", "-", ""),
    ("e", "", "e"),
    ("", "-e", "-e"),
    ("r", "-r", ""),
    ("-r", "r", "e"),
]


def output_letter(opcode: Opcode) -> str:
    wide = "d" if opcode.precision == "d" else "f"
    return LOWER[wide] if opcode.narrow else wide


@pytest.mark.some(11)
@pytest.mark.parametrize("text", VECTOR)
def test_vectors(text: str) -> None:
    opcode, rng = SPELLED[text], rng_for(text)
    letter, op, output = opcode.precision, opcode.row.name, output_letter(opcode)
    count, addend = {"d": 1, "f": 2, "h": 4}[letter], "d" if letter == "d" else "f"
    for decorations in DECORATED:
        if any(("r" in d and letter != "h") or ("e" in d and letter == "h") for d in decorations[:2]):
            continue
        roles = {"vfma": (0, 1, 2), "vmul": (0, 1), "vadd": (0, 2), "vpassa": (0,)}[op]
        stored = [letter, letter, addend]
        stored = [LOWER[s] if "e" in d else "f" if "r" in d else s for s, d in zip(stored, decorations, strict=True)]
        data, machine = [drawn(rng, s) for s in stored], Machine()
        for memory, words in zip((machine.lm0, machine.lm1, machine.grf1), data, strict=True):
            store(memory, words)
        names = ["$llm0v", "$lln0v", "$lls0v"]
        inputs = [f"{'-' * ('-' in decorations[i])}{names[i]}{decorations[i].lstrip('-')}" for i in roles]
        run(machine, f"{text} {' '.join(inputs)} $llr0v $omr3")
        got = load(machine.grf0)
        for c, (index, pe) in product(CYCLES, enumerate(PES)):
            x, y, z = (
                scalars.operand(words[c][index], which, count, d)
                for words, which, d in zip(data, (letter, letter, addend), decorations, strict=True)
            )
            active = not opcode.rows or (pe % 4 < 2) == (opcode.rows == "u")
            wanted = scalars.vector(op, letter, output, x, y, z, active)
            assert got[c][index] == paste(wanted, WIDTH[output], 4), (decorations, x, y, z)
            flags = [not bits >> (WIDTH[output] - 1) for bits in wanted for _ in range(4 // count)]
            assert machine.omr[3, c, :, pe].tolist() == flags


@pytest.mark.parametrize("letter", "fd")
def test_infinities_are_ordinary_large_inputs(letter: str) -> None:
    """Section 11.1. Its example "(-inf)*inf + (-inf) = +inf" has lost a sign: only with two negative factors is the
    result +inf, and only there does it differ from IEEE arithmetic, which knows no inf - inf."""
    machine, minus, zero = Machine(), scalars.infinity(1, letter), 0
    factors = [(minus, minus), (minus, minus ^ 1 << (WIDTH[letter] - 1)), (minus, zero), (zero, zero)]
    plus, below = scalars.infinity(0, letter), scalars.infinity(1, letter)
    for c, (x, y) in enumerate(factors):
        machine.lm0[4 * c : 4 * c + 4] = np.array(paste([x], WIDTH[letter], 4), np.uint32)[:, None]
        machine.lm1[4 * c : 4 * c + 4] = np.array(paste([y], WIDTH[letter], 4), np.uint32)[:, None]
        machine.grf1[4 * c : 4 * c + 4] = np.array(paste([below], WIDTH[letter], 4), np.uint32)[:, None]
    run(machine, f"{letter}vfma{'u' * (letter == 'd')} $llm0v $lln0v $lls0v $llr0v")
    results = [cut(datum, WIDTH[letter], 1)[0] for datum in (load(machine.grf0)[c][0] for c in CYCLES)]
    assert results == [plus, below, below, below]


@pytest.mark.parametrize("text", MATRIX)
def test_matrix_products(text: str) -> None:
    opcode, rng, machine = SPELLED[text], rng_for(text), Machine()
    letter, output = opcode.precision, output_letter(opcode)
    rows, per_pe, used = {"d": (4, 1, 1), "f": (8, 2, 1), "g": (8, 2, 2), "h": (16, 4, 4)}[letter]
    kept, width, addend = {"d": 52, "f": 23, "g": 18, "h": 9}[letter], WIDTH[letter], "d" if letter == "d" else "f"

    def blocks(columns: int) -> list[int]:
        return block([encode(value(0x3F800000 + rng.getrandbits(26), "f"), letter) ^ rng.getrandbits(1) << (width - 1)
                      for _ in range(columns)], letter, kept)  # fmt: skip

    matrices = [[blocks(rows) for _ in range(rows)] for _ in range(2)]  # of the two MABs
    for mab, matrix in zip((0, 1023), matrices, strict=True):
        for i, row in enumerate(matrix):
            machine.my[i, mab] = paste(row, width, 8)
    vectors = [[blocks(4 * used) for _ in range(2)] for _ in CYCLES]
    x = [[paste(vectors[c][pe // 4][pe % 4 * used :][:used], width, 4) for pe in range(8)] for c in CYCLES]
    y = drawn(rng, addend)
    store(machine.lm0, x)
    store(machine.lm1, y)
    fused = opcode.row.name == "mfma"
    run(machine, f"{text} $ly -$llm0v{' -$lln0v' * fused} $llr0v $omr3")
    got = load(machine.grf0)
    for c, (index, pe) in product(CYCLES, enumerate(PES)):
        wanted = []
        for k in range(per_pe):
            i = pe % 4 * per_pe + k
            row = matrices[index // 4][i][:: 2 if letter == "f" else 1]
            active = not opcode.rows or (i < rows // 2) == (opcode.rows == "u")
            total = -row_times_vector(row, vectors[c][index // 4], letter) if active else 0
            total -= value(cut(y[c][index], WIDTH[addend], per_pe)[k], addend) if fused else 0
            wanted.append(encode(total, output))
        assert got[c][index] == paste(wanted, WIDTH[output], 4)
        flags = [not bits >> (WIDTH[output] - 1) for bits in wanted for _ in range(4 // per_pe)]
        assert machine.omr[3, c, :, pe].tolist() == flags


# --- reductions ------------------------------------------------------------------------------------------------------


def filled_longs(rng: random.Random, letter: str, count: int) -> list[int]:
    width = WIDTH[letter]

    def long_word() -> int:
        if letter not in "dfh":
            return rng.choice((0, 2**64 - 1, rng.getrandbits(64), rng.getrandbits(64)))
        elements = patterns(rng, letter, 64 // width)
        near = [encode(value(0x3F800000 + rng.getrandbits(27), "f"), letter) for _ in elements]
        high, low = paste(rng.choice((elements, near, near)), width, 2)
        return high << 32 | low

    return [long_word() for _ in range(count)]


EDGE_CYCLES = (0, 3)  # of the sums over MABs: enough, test_l1bm.py has all four


def combined(op: str, letter: str, longs: list[int], stages: tuple[int, ...]) -> int:
    """A long word of results, element by element."""
    width, result = WIDTH[letter], 0
    for shift in range(64 - width, -1, -width):
        bits = scalars.reduce(op, letter, [value >> shift & (1 << width) - 1 for value in longs], stages)
        result |= bits << shift
    return result


@pytest.mark.some(24)
@pytest.mark.parametrize("text", [t for t in REDUCTIONS if t.startswith("l1bmr")])
def test_reductions_of_mabs(text: str) -> None:
    opcode, rng = OPCODES[text], rng_for(text)
    letter, op, quarters = opcode.precision, opcode.reduction, opcode.row.name == "l1bmr4"
    on_singles = letter == "h" and op == "fadd"
    stages = (4,) if quarters else (4, 4)
    cases = [("l", "")] + [("l", "e")] * (letter == "f") + [("ll", "")] * (letter == "f" or op == "bor")
    cases += [("ll", "e")] * (letter == "f")
    for prefix, suffix in cases:
        machine, longs, low = Machine(), len(prefix), LOWER.get(letter, letter)
        stored = low if suffix else letter
        data = {c: [filled_longs(rng, stored, 2) for _ in range(64)] for c in EDGE_CYCLES}  # [cycle][pe of L1B 63]
        for c, pe in product(EDGE_CYCLES, range(64)):
            words = [half for value in data[c][pe] for half in (value >> 32, value & 0xFFFFFFFF)]
            machine.lm0[4 * c : 4 * c + 4, 4032 + pe] = words
        run(machine, f"{text} $llm0v{suffix} ${prefix}b{16 * longs * 4}")
        output = low if opcode.narrow else letter
        count = 64 * longs // (32 if on_singles else WIDTH[letter])
        for c, p, q in product(EDGE_CYCLES, range(4), range(4 if quarters else 1)):
            mabs = range(4 * q, 4 * q + 4) if quarters else range(16)
            words = [[half for v in data[c][4 * m + p] for half in (v >> 32, v & 0xFFFFFFFF)] for m in mabs]
            elements = [cut(datum, WIDTH[stored], count) for datum in words]
            results = []
            for inputs in zip(*elements, strict=True):
                if on_singles or suffix:
                    wide = [scalars.convert(bits, stored, "f") for bits in inputs]
                    results.append(scalars.reduce(op, "f", wide, stages, "h" if on_singles else output))
                else:
                    results.append(scalars.reduce(op, letter, list(inputs), stages, output))
            wanted = paste(results, WIDTH[output], 2 * longs)
            for w in range(longs):
                each, base = 4 * longs * (4 if quarters else 1), 64 * longs + 4 * longs * q
                got = int(machine.l1bm[7, 7, base + each * c + 4 * w + p])
                assert [got >> 32, got & 0xFFFFFFFF] == wanted[2 * w : 2 * w + 2], (prefix, suffix, c, p, q)


@pytest.mark.parametrize("text", [t for t in REDUCTIONS if t.startswith("l2bmr")])
def test_reductions_of_l1bms(text: str) -> None:
    opcode, rng, machine = OPCODES[text], rng_for(text), Machine()
    letter, op = opcode.precision, opcode.reduction
    longs = [filled_longs(rng, letter, 64) for _ in range(8)]
    machine.l1bm[5, :, 32:96] = np.array(longs, np.uint64)
    pairs = opcode.row.name == "l2bmr2"
    run(machine, f"{text} $lb32 $lc64")
    for q, i in product(range(4 if pairs else 1), range(64)):
        mine = longs[2 * q : 2 * q + 2] if pairs else longs
        address = 64 + 64 * (i // 16) + 16 * q + i % 16 if pairs else 64 + i
        wanted = combined(op, letter, [values[i] for values in mine], (2,) if pairs else (8,))
        assert int(machine.l2bm[5, address]) == wanted


@pytest.mark.parametrize("text", [t for t, (row, _, _) in MOVE_OPCODES.items() if row.reduces])
def test_reductions_of_l2bms(text: str) -> None:
    row, letter, op = MOVE_OPCODES[text]
    rng, machine = rng_for(text), Machine()
    longs = [filled_longs(rng, letter, 64) for _ in range(8)]
    machine.l2bm[:, 64:128] = np.array(longs, np.uint64)
    run(machine, f"{text}/n64 $lc64 {'$p0@1' if row.name == 'mvr' else '$d0'}")
    for x in range(64):
        if row.name == "mvr":
            assert int(machine.pdm[1, x]) == combined(op, letter, [values[x] for values in longs], (2, 4))
        elif row.name == "mvr2":
            for g in range(4):
                got = int(machine.dram[g][x : x + 1][0])
                assert got == combined(op, letter, [longs[2 * g][x], longs[2 * g + 1][x]], (2,))
        else:
            for low in range(2):
                address = 16 * low + x % 16
                got = int(machine.dram[x // 16][address : address + 1][0])
                assert got == combined(op, letter, [longs[2 * g + low][x] for g in range(4)], (4,))
