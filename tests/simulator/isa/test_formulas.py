"""The index formulas of the table against the machine: every address holds a value of its own, then one line runs."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.isa.formulas import parse
from simulator.isa.program import Move, Step
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from tests.simulator.engine.machines import filled, pe_index, run

TO_PE = [
    "l1bmp $lb4 $lm0v",
    "l1bmp $llb8 $llm0v",
    "l1bmm $lb4 $lm0v",
    "l1bmm $llb8 $llm0v",
    "l1bmm4 $lb16 $lm0v",
    "l1bmm4 $llb32 $llm0v",
    "l1bmd $lb64 $lm0v",
    "l1bmd+3 $lb64 $lm0v",
    "l1bmd-1 $lb64 $lm0v",
]
FROM_PE = [
    "l1bmm@5 $lr0v $lb4",
    "l1bmm@15 $llr0v $llb8",
    "l1bmm4@2 $lr0v $lb16",
    "l1bmm4@1 $llr0v $llb32",
    "l1bmd $lr0v $lb64",
    "l1bmd+2 $lr0v $lb64",
    "l1bmrlbor $lr0v $lb4",
    "l1bmrlbor $llr0v $llb8",
    "l1bmr4lbor $lr0v $lb16",
]
L2BM = [
    "l2bmb $lc16 $lb32",
    "l2bmb@2,3 $lc16 $lb32",
    "l2bmb2 $lc64 $lb16",
    "l2bmd $lc64 $lb8",
    "l2bmd@4/3 $lc64 $lb8",
    "l2bmd $lb8 $lc64",
    "l2bm@6 $lb16 $lc32",
    "l2bmrlbor $lb16 $lc32",
    "l2bmrlbor@0/3 $lb16 $lc32",
    "l2bmr2lbor $lb16 $lc64",
    "l2bmi@1 $lb0 $lb64",
    "l2bmi@0/3 $lb0 $lb64",
    "l2bmi@2/1 $lb0 $lb64",
]
MOVES = [
    "mvp/n64 $p64@1 $d128@3",
    "mvp/n64 $d64 $p128",
    "mvp/n128 $d0@1 $lc64@2.1",
    "mvp/n64 $lc64@.1 $d0",
    "mvp/n64 $lc64 $d0",
    "mvp/n64 $p0@0 $p64@2",
    "mvb/n64 $p64@2 $lc0",
    "mvb/n128 $d64 $lc0",
    "mvb2/n64 $d64 $lc128",
    "mvb4/n128 $d64 $lc0",
    "mvd/n256 $p64@1 $d0",
    "mvd/n256 $d64 $p0@3",
    "mvd/n64 $p0@2 $lc64",
    "mvd/n64 $lc64 $p0@1",
    "mvrlbor/n64 $lc64 $p0@2",
    "mvrlbor/n128 $lc64 $d0",
    "mvr2lbor/n64 $lc0 $d64",
    "mvr4lbor/n128 $lc0 $d64",
]


def transfer(text: str) -> Transfer:
    (line,) = assemble(text).lines
    found = move_transfer(line) if isinstance(line, Move) else None
    if isinstance(line, Step):
        found = transfer_of(line.instructions[0])
    assert found is not None
    return found


def combined(found: Transfer, value: dict[tuple[int, ...], int]) -> dict[tuple[int, ...], int]:
    """What the formula says every destination gets, several sources being OR-ed together."""
    result: dict[tuple[int, ...], int] = defaultdict(int)
    for to, origin in zip(*found.points(), strict=True):
        result[tuple(map(int, to))] |= value[tuple(map(int, origin))]
    return result


def datum(words: np.ndarray, l2b: int, b: int, wide: int, mabs: int = 16) -> dict[tuple[int, ...], int]:
    """Long word w of PE (m, p) in cycle c, where a `v` operand at address 0 keeps it: by (m, p, c, w)."""
    values = {}
    for m in range(mabs):
        for p in range(4):
            pe = pe_index(l2b, b, m, p)
            for c in range(4):
                for w in range(wide):
                    first = 2 * (wide * c + w)
                    values[m, p, c, w] = int(words[first, pe]) << 32 | int(words[first + 1, pe])
    return values


def width(text: str) -> int:
    return 2 if "$llb" in text else 1


@pytest.mark.parametrize("text", TO_PE)
@pytest.mark.parametrize(("l2b", "b"), [(0, 0), (5, 6)])
def test_l1bm_to_pe(text: str, l2b: int, b: int) -> None:
    before = filled()
    block = {(a,): int(before.l1bm[l2b, b, a]) for a in range(512)}
    after = run(before, text)
    expected = combined(transfer(text), block)
    assert expected == datum(after.lm0, l2b, b, width(text))


@pytest.mark.parametrize("text", FROM_PE)
@pytest.mark.parametrize(("l2b", "b"), [(0, 0), (7, 3)])
def test_pe_to_l1bm(text: str, l2b: int, b: int) -> None:
    before = filled()
    sent = datum(before.grf0, l2b, b, width(text))
    untouched = before.l1bm[l2b, b].copy()
    after = run(before, text)
    expected = combined(transfer(text), sent)
    for (address,), value in expected.items():
        assert int(after.l1bm[l2b, b, address]) == value
        untouched[address] = after.l1bm[l2b, b, address]
    np.testing.assert_array_equal(after.l1bm[l2b, b], untouched)


@pytest.mark.parametrize("text", L2BM)
@pytest.mark.parametrize("l2b", [0, 6])
def test_l2bm(text: str, l2b: int) -> None:
    machine = filled()
    found = transfer(text)
    memories = {"L1BM": machine.l1bm[l2b].copy(), "L2BM": machine.l2bm[l2b].copy()}
    source = memories[found.formula.source.memory]
    expected = combined(found, {tuple(map(int, i)): int(source[tuple(i)]) for i in found.points()[1]})
    for place, value in expected.items():
        memories[found.formula.destination.memory][place] = value
    run(machine, text)
    np.testing.assert_array_equal(machine.l1bm[l2b], memories["L1BM"])
    np.testing.assert_array_equal(machine.l2bm[l2b], memories["L2BM"])


def off_chip(machine: Machine) -> dict[str, np.ndarray]:
    return {
        "L2BM": machine.l2bm.reshape(4, 2, -1).copy(),
        "PDM": machine.pdm.copy(),
        "DRAM": np.stack([dram[0:16384] for dram in machine.dram]),
    }


@pytest.mark.parametrize("text", MOVES)
def test_mv(text: str) -> None:
    machine = filled()
    found = transfer(text)
    memories = off_chip(machine)
    source = memories[found.formula.source.memory]
    expected = combined(found, {tuple(map(int, i)): int(source[tuple(i)]) for i in found.points()[1]})
    for place, value in expected.items():
        memories[found.formula.destination.memory][place] = value
    run(machine, text)
    for name, array in off_chip(machine).items():
        np.testing.assert_array_equal(array, memories[name], err_msg=name)


@pytest.mark.parametrize("text", ["msl $lr0v $lm0v", "msr $lr0v $lm0v"])
def test_neighbours(text: str) -> None:
    machine = filled()
    expected = {}
    for (p, c, w), (origin, _, _) in zip(*(points.tolist() for points in transfer(text).points()), strict=True):
        expected[p, c] = machine.grf0[2 * c : 2 * c + 2, origin].copy()
        assert w == 0
    run(machine, text)
    for (p, c), words in expected.items():
        np.testing.assert_array_equal(machine.lm0[2 * c : 2 * c + 2, p], words)


BITS = {"d": 64, "f": 32, "g": 32, "h": 16}


def element(words: np.ndarray, index: int, bits: int) -> int:
    """Element `index` of a run of words, the most significant first."""
    text = "".join(f"{int(word):032b}" for word in words)
    return int(text[index * bits : (index + 1) * bits], 2)


@pytest.mark.parametrize(
    "text",
    ["dmwrite $lr0v $lx1", "gmwrite $lr0v $lx4", "fmwrite $lr0v $ly0", "hmwrite $lr0v $lx3", "hmwrite $llr0v $lly6"],
)
def test_matrix_rows(text: str) -> None:
    machine = run(filled(), text)
    found, bits = transfer(text), BITS[text[0]]
    matrix = machine.mx if "x" in text.split("$")[-1] else machine.my
    words = 4 if "$llr" in text else 2
    for mab in (0, 511):
        for (row, column), (p, c, d, k) in zip(*(points.tolist() for points in found.points()), strict=True):
            datum_words = machine.grf0[words * c : words * (c + 1), 4 * mab + p]
            assert element(matrix[row, mab], column, bits) == element(datum_words[2 * d :], k, bits)


@pytest.mark.parametrize("text", ["dmread $lx1 $ln0v", "gmread $lx4 $ln0v", "hmread $llx6 $lln0v"])
def test_matrix_columns(text: str) -> None:
    machine = filled()
    machine.mx[...] = np.random.default_rng(3).integers(0, 1 << 32, machine.mx.shape, np.uint32)
    run(machine, text)
    found, bits = transfer(text), BITS[text[0]]
    words = 4 if "$lln" in text else 2
    for mab in (0, 511):
        for (p, c, d, k), (row, column) in zip(*(points.tolist() for points in found.points()), strict=True):
            datum_words = machine.lm1[words * c : words * (c + 1), 4 * mab + p]
            assert element(datum_words[2 * d :], k, bits) == element(machine.mx[row, mab], column, bits)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("l1bmm $llb16 $llr0v", "PE[m, p, c, w] = L1BM[16 + 8c + 4w + p]"),
        ("l1bmd-1 $lb0 $lr0v", "PE[m, p, c, w] = L1BM[64c + 4((m + 1) mod 16) + p]"),
        ("l1bmd $lb0 $lr0v", "PE[m, p, c, w] = L1BM[64c + 4m + p]"),
        ("l1bmrffadd $lr0v $lb0", "L1BM[4c + 4w + p] = ffadd over m of PE[m, p, c, w]"),
        ("l2bmb2 $lc64 $lb16", "L1BM[b, 16 + 16c + j] = L2BM[64 + 64c + 16(b div 2) + j]   for j < 16"),
        ("l2bm@3 $lb0 $lc0", "L2BM[16c + j] = L1BM[3, 16c + j]   for j < 16"),
        ("mvp/n64 $p0@1 $lc64@2.1", "L2BM[2, 1, 64 + x] = PDM[1, x]   for x < 64"),
        ("mvrffadd/n64 $lc0 $p0@0", "PDM[0, x] = ffadd over g, l of L2BM[g, l, x]   for x < 64"),
    ],
)
def test_text(text: str, formula: str) -> None:
    assert transfer(text).text() == formula


def test_indirect_addresses_are_not_known() -> None:
    assert not transfer("mvp/n64 $di0@0 $p0@0").known
    assert "DRAM[0, A + x]" in transfer("mvp/n64 $di0@0 $p0@0").text()


def test_conditions_and_limits() -> None:
    formula = parse("X[i] = Y[k] | i < 4, k < n, k & 1 == i & 1")
    ends, starts = formula.points({"n": 2})
    assert [(int(a[0]), int(b[0])) for a, b in zip(ends, starts, strict=True)] == [(0, 0), (1, 1), (2, 0), (3, 1)]
