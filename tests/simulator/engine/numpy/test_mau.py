"""MAU instructions on numbers whose results are exact, against NumPy (isa.md, section 9)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator import Machine
from simulator.engine.numbers import DOUBLE, HALF, SINGLE, from_float64, to_float64
from tests.simulator.engine.machines import filled, run

MABS = (0, 1, 500, 1023)
Floats = NDArray[np.float64]


def integers(shape: tuple[int, ...], seed: int, limit: int = 8) -> Floats:
    return np.random.default_rng(seed).integers(-limit, limit + 1, shape).astype(np.float64)


def singles(values: Floats) -> NDArray[np.uint32]:
    return from_float64(values, SINGLE)


def halves(values: Floats) -> NDArray[np.uint32]:
    """Pairs of the first axis packed into words."""
    bits = from_float64(values, HALF).astype(np.uint32)
    return bits[0::2] << np.uint32(16) | bits[1::2]


def doubles(values: Floats) -> NDArray[np.uint32]:
    """Words of long words, two rows for every row of values."""
    bits = from_float64(values, DOUBLE)
    words = np.empty((2 * len(values), *values.shape[1:]), np.uint32)
    words[0::2], words[1::2] = bits >> np.uint64(32), bits & np.uint64(0xFFFFFFFF)
    return words


def test_single_precision() -> None:
    machine = Machine()
    x, y, z = (integers((8, 4096), seed) for seed in (1, 2, 3))
    machine.lm0[:8], machine.lm1[:8], machine.grf1[:8] = singles(x), singles(y), singles(z)
    run(machine, "fvfma $lm0v -$ln0v $ls0v $lr0v $omr1", "fvmul $lm0v $ln0v $lr8v", "fvadd $lm0v -$ls0v $lr16v")
    run(machine, "fvpassa -$lm0v $lr24v", "fvfmar $lm0v $ln0v $ls0v $lr32v")
    result = to_float64(machine.grf0, SINGLE)
    assert (result[:8] == z - x * y).all()
    assert (result[8:16] == x * y).all()
    assert (result[16:24] == x - z).all()
    assert (result[24:32] == -x).all()
    flags = np.repeat((z - x * y >= 0).reshape(4, 2, -1), 2, axis=1)
    assert (machine.omr[1] == flags).all()
    narrow = machine.grf0[32:40].reshape(4, 2, -1)
    assert (narrow[:, 0] == halves(x * y + z)).all()
    assert not narrow[:, 1].any()


def test_inputs_one_precision_lower() -> None:
    machine = Machine()
    x = integers((8, 4096), 4)
    machine.lm0[:4] = halves(x)  # two halves in one word per cycle
    machine.lm1[:4] = singles(integers((4, 4096), 5))
    machine.grf1[:8] = doubles(integers((4, 4096), 6))
    run(machine, "fvpassa $m0ve $lr0v", "dvadd $n0ve $ls0v $lr8v")
    assert (machine.grf0[:8] == singles(x)).all()
    assert (machine.grf0[8:16] == doubles(integers((4, 4096), 5) + integers((4, 4096), 6))).all()


def test_half_precision_adds_singles() -> None:
    machine = Machine()
    x, y, z = (integers((16, 4096), seed) for seed in (1, 2, 3))
    machine.lm0[:8], machine.lm1[:8], machine.grf1[:16] = halves(x), halves(y), singles(z)
    machine.grf1[16:24] = halves(z)
    run(machine, "hvfma $lm0v $ln0v $lls0v $llr0v $omr1", "hvfmar $lm0v $ln0v $ls16ve $lr16v", "hvpassa $lm0v $llr32v")
    assert (machine.grf0[:16] == singles(x * y + z)).all()
    assert (machine.omr[1] == (x * y + z >= 0).reshape(4, 4, -1)).all()
    assert (machine.grf0[16:24] == halves(x * y + z)).all()
    assert (machine.grf0[32:48] == singles(x + 0)).all()
    run(machine, "hvmul $lls0vr $ln0v $llr0v")
    assert (machine.grf0[:16] == singles(z * y + 0)).all()


def test_double_products_take_two_instructions() -> None:
    machine = Machine()
    x, y, z = (integers((4, 4096), seed) for seed in (1, 2, 3))
    machine.lm0[:8], machine.lm1[:8], machine.grf1[:8] = doubles(x), doubles(y), doubles(z)
    low = np.arange(4096) % 4 < 2
    run(machine, "dvmulu $lm0v $ln0v $lr0v", "dvfmad $lm0v $ln0v $mauf $lr8v $omr1", "dvfmadr $lm0v $ln0v $ls0v $lr16v")
    assert (machine.grf0[:8] == doubles(np.where(low, x * y, 0) + 0)).all()
    assert (machine.grf0[8:16] == doubles(x * y + 0)).all()
    assert (machine.omr[1] == (x * y >= 0)[:, None]).all()
    assert (machine.grf0[16:24:2] == singles(np.where(low, z, x * y + z))).all()
    assert not machine.grf0[17:24:2].any()


def test_words_leave_the_second_element_zero() -> None:
    machine = Machine()
    machine.lm0[:8] = singles(integers((8, 4096), 1))
    run(machine, "fvadd $m0v $m0v $lr0v $omr1")
    words = machine.grf0[:8].reshape(4, 2, -1)
    assert (words[:, 0] == singles(2 * integers((8, 4096), 1))[:4]).all()
    assert not words[:, 1].any()
    assert machine.omr[1, :, 2:].all()  # zero is not negative


# --- matrix registers ------------------------------------------------------------------------------------------------


def by_mab(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """[row, pe] to [mab, row, pe of the MAB]."""
    return words.reshape(len(words), 1024, 4).transpose(1, 0, 2)


def test_rows_are_written_one_per_cycle_and_wrap() -> None:
    machine = run(filled(), "gmwrite $lm0v $lx6", "dmwrite $lm0v $ly3")
    for c in range(4):
        rows = machine.lm0[2 * c : 2 * c + 2].reshape(2, 1024, 4).transpose(1, 2, 0).reshape(1024, 8)
        assert (machine.mx[(6 + c) % 8] == rows).all()
        assert (machine.my[(3 + c) % 4] == rows).all()


def test_half_rows_come_one_or_two_per_cycle() -> None:
    machine = run(filled(), "hmwrite $lm0v $lx14", "hmwrite $llm0v $lly2")
    words = machine.lm0[:16].reshape(8, 2, 1024, 4)  # long words of a `ll` operand
    for i in range(8):
        assert (machine.my[2 + i] == words[i].transpose(1, 2, 0).reshape(1024, 8)).all()
    for c in range(4):
        row = machine.lm0[2 * c : 2 * c + 2].reshape(2, 1024, 4).transpose(1, 2, 0).reshape(1024, 8)
        assert (machine.mx[(14 + c) % 16] == row).all()


def test_reads_are_transposed() -> None:
    machine = run(filled(), "gmwrite $lm0v $lx0", "gmwrite $lm8v $lx4", "gmread $lx2 $lr0v", "dmread $lx1 $ls0v")
    for mab in MABS:
        a = machine.mx[:8, mab]  # 8 x 8 words
        for c in range(4):
            for p in range(4):
                pe = 4 * mab + p
                assert machine.grf0[2 * c : 2 * c + 2, pe].tolist() == [a[2 * p, 2 + c], a[2 * p + 1, 2 + c]]
                column = 2 * ((1 + c) % 4)
                assert machine.grf1[2 * c : 2 * c + 2, pe].tolist() == a[p, column : column + 2].tolist()


def test_half_reads_deliver_two_columns() -> None:
    machine = run(filled(), "hmwrite $llm0v $llx0", "hmwrite $llm16v $llx8", "hmread $llx4 $llr0v")
    for mab in MABS:
        words = machine.mx[:, mab]
        a = np.stack([words >> np.uint32(16), words & np.uint32(0xFFFF)], axis=-1).reshape(16, 16)
        for c in range(4):
            for p in range(4):
                got = machine.grf0[4 * c : 4 * c + 4, 4 * mab + p]
                halves_got = np.stack([got >> np.uint32(16), got & np.uint32(0xFFFF)], axis=-1).ravel()
                column = 4 + 2 * c
                wanted = [*a[4 * p : 4 * p + 4, column], *a[4 * p : 4 * p + 4, column + 1]]
                assert halves_got.tolist() == wanted


# --- products --------------------------------------------------------------------------------------------------------


def test_pseudo_single_products() -> None:
    machine = Machine()
    a, x, y = integers((16, 4096), 1), integers((8, 4096), 2), integers((8, 4096), 3)
    machine.lm0[:16], machine.lm1[:8], machine.grf1[:8] = singles(a), singles(x), singles(y)
    run(machine, *(f"gbfn $lm{8 * i}v $lm{8 * i}v" for i in range(2)), "gbfn $ln0v $ln0v")
    run(
        machine,
        "gmwrite $lm0v $lx0",
        "gmwrite $lm8v $lx4",
        "gmmul $lx $ln0v $lr0v",
        "gmfma $lx -$ln0v $ls0v $lr8v $omr4",
    )
    product, difference = to_float64(machine.grf0[:8], SINGLE), to_float64(machine.grf0[8:16], SINGLE)
    for mab in MABS:
        pes = slice(4 * mab, 4 * mab + 4)
        matrix = a[:, pes].reshape(8, 2, 4).transpose(0, 2, 1).reshape(8, 8)  # row = words of PE 0, PE 1, …
        for c in range(4):
            vector = x[2 * c : 2 * c + 2, pes].T.ravel()
            addend = y[2 * c : 2 * c + 2, pes].T.ravel()
            assert (product[2 * c : 2 * c + 2, pes].T.ravel() == matrix @ vector).all()
            assert (difference[2 * c : 2 * c + 2, pes].T.ravel() == addend - matrix @ vector).all()
            flags = np.repeat((addend - matrix @ vector >= 0).reshape(4, 2).T, 2, axis=0)
            assert (machine.omr[4, c, :, pes] == flags).all()


def test_single_products_use_every_other_column() -> None:
    machine = Machine()
    a, x = integers((16, 4096), 1), integers((4, 4096), 2)
    machine.lm0[:16], machine.lm1[:4] = singles(a), singles(x)
    run(machine, *(f"fbfn $lm{8 * i}v $lm{8 * i}v" for i in range(2)), "fbfn $n0v $n0v")
    run(machine, "fmwrite $lm0v $ly0", "fmwrite $lm8v $ly4", "fmmul $ly $n0v $lr0v")
    result = to_float64(machine.grf0[:8], SINGLE)
    for mab in MABS:
        pes = slice(4 * mab, 4 * mab + 4)
        matrix = a[0::2, pes]  # w0 of the four PEs: columns 0, 2, 4, 6
        for c in range(4):
            assert (result[2 * c : 2 * c + 2, pes].T.ravel() == matrix @ x[c, pes]).all()


@pytest.mark.parametrize(("suffix", "rows"), [("u", (0, 1)), ("d", (2, 3))])
def test_double_products_use_two_rows(suffix: str, rows: tuple[int, int]) -> None:
    machine = Machine()
    a, x, y = integers((4, 4096), 1), integers((4, 4096), 2), integers((4, 4096), 3)
    machine.lm0[:8], machine.lm1[:8], machine.grf1[:8] = doubles(a), doubles(x), doubles(y)
    run(machine, "dbfn $lm0v $lm0v", "dbfn $ln0v $ln0v", "dmwrite $lm0v $lx0", f"dmfma{suffix} $lx $ln0v $ls0v $lr0v")
    for mab in MABS:
        pes = slice(4 * mab, 4 * mab + 4)
        for c in range(4):
            full = a[:, pes] @ x[c, pes]
            wanted = [y[c, 4 * mab + i] + (full[i] if i in rows else 0) for i in range(4)]
            assert (machine.grf0[2 * c : 2 * c + 2, pes] == doubles(np.array([wanted]))).all()


def test_half_products() -> None:
    machine = Machine()
    a, x, y = integers((64, 4096), 1), integers((16, 4096), 2), integers((16, 4096), 3)
    machine.lm0[:32], machine.lm1[:8], machine.grf1[:16] = halves(a), halves(x), singles(y)
    run(machine, *(f"hbfn/9 $llm{16 * i}v $llm{16 * i}v" for i in range(2)), "hbfn/9 $ln0v $ln0v")
    run(
        machine,
        "hmwrite $llm0v $llx0",
        "hmwrite $llm16v $llx8",
        "hmfma $lx $ln0v $lls0v $llr0v",
        "hmmulr $lx $ln0v $lr16v",
    )
    result = to_float64(machine.grf0[:16], SINGLE)
    for mab in MABS:
        pes = slice(4 * mab, 4 * mab + 4)
        matrix = a[:, pes].reshape(16, 4, 4).transpose(0, 2, 1).reshape(16, 16)
        for c in range(4):
            product = matrix @ x[4 * c : 4 * c + 4, pes].T.ravel()
            addend = y[4 * c : 4 * c + 4, pes].T.ravel()
            assert (result[4 * c : 4 * c + 4, pes].T.ravel() == product + addend).all()
            narrow = halves(product.reshape(4, 4).T + 0.0)
            assert (machine.grf0[16 + 2 * c : 18 + 2 * c, pes] == narrow).all()


def test_each_matrix_register_has_its_own_contents() -> None:
    machine = run(filled(), "gmwrite $lm0v $lx0; lpassa $lm0v $lr0v", "gmwrite $lm8v $ly0")
    assert (machine.mx[:4] != machine.my[:4]).any()
    assert (by_mab(machine.lm0[0:1])[:, 0] == machine.mx[0, :, 0::2]).all()


def test_written_factors_may_be_decorated() -> None:
    machine = Machine()
    machine.lm0[:8] = singles(integers((8, 4096), 1))
    run(machine, "gmwrite -$lm0v $lx0")
    assert (machine.mx[0, :, 0::2] == machine.lm0[0].reshape(1024, 4) ^ np.uint32(1 << 31)).all()
