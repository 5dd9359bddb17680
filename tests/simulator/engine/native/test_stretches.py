"""Steps that the native engine runs in one L2B after the other, and numbers at the edges of its loops."""

from __future__ import annotations

import contextlib
from random import Random

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.engine import native
from simulator.errors import AssemblyError
from tests.simulator.engine.native_programs import check, fill

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler: there is only the NumPy engine")

Pair = tuple[Machine, Machine]

TRANSFERS = (
    "l2bmd $lc{c} $lb{b}", "l2bmb $lc{c} $lb{b}", "l2bmb2 $lc{c} $lb{b}", "l2bmd $lb{b} $lc{c}", "l2bm@5 $lb{b} $lc{c}",
    "l2bmrffadd $lb{b} $lc{c}", "l2bmr2iiadd $lb{b} $lc{c}", "l2bmi@0/3 $lb{b} $lb{other}", "l1bmd $lm0v $lb{b}",
    "l1bmd $lb{b} $lm0v", "l1bmm@2 $ln0v $lb{b}", "l1bmm $lb{b} $ln0v", "l1bmrffadd $lm0v $lb{b}",
)  # fmt: skip
"""The transfers of a step go through L1BM and L2BM, and two of them may meet at the same addresses."""


@pytest.fixture(scope="module")
def machines() -> Pair:
    """Two machines that run the same programs one after another."""
    return Machine(), Machine(engine="native")


def transfers(random: Random, steps: int) -> list[str]:
    """Steps of one or two transfers at addresses that overlap often, also at the end of a memory."""
    inner = [text for text in TRANSFERS if text.startswith("l2bm")]
    outer = [text for text in TRANSFERS if text.startswith("l1bm")]

    def line(text: str) -> str:
        b, other = random.choices((0, 16, 32, 64, 128, 192, 256, 8128), k=2)
        return text.format(b=b, other=other, c=random.choice((0, 64, 128, 192, 256, 512, 32512)))

    found: list[str] = []
    while len(found) < steps:
        both = [line(random.choice(inner)), line(random.choice(outer))]
        step = " ; ".join(random.choice((both, both[:1], both[1:])))
        with contextlib.suppress(AssemblyError):  # addresses are multiples of sizes, and not shared within a step
            assemble(step)
            found.append(step)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_transfers_that_meet(machines: Pair, seed: int) -> None:
    for machine in machines:
        fill(machine, seed)
    check(transfers(Random(seed), 30), *machines)


INSIDE = (
    "iadd $lm0v $r60 $lr16v $omr5", "iinc $lm0v $ln8v $omr3/$imr5", "lpassa $llm0v $llr0v/$llimr3", "nop", "nop/3",
    "lpassa $lmt8v $ln16v/$imr3", "ipassa $lr40v $lmt64v", "iand $lm16v $ln0v $lt", "fvfma $lm0v -$ln0v $lr16v $lr8v",
    "gmwrite $lm8v $lx0", "gmfma $lx $ln0v $lr8v $lm0v", "fvadd $mauf $aluf $ls0v", "gbfn $lr0v $lr32v/$imr4",
    "msl $lm0v $ln8v",
)  # fmt: skip
"""Steps that concern PEs only: masks, addresses from T, forwarding paths, matrices, waits."""
MOVES = (
    "mvp/n64 $lc{c}@0.1 $d{d}@0",
    "mvp/n64 $d{d}@0 $lc{c}@0.0",
    "mvb/n64 $p{d}@1 $lc{c}",
    "mvp/n64 $lc{c}@.0 $p{d}",
)
"""Moves inside groups and between them, through DRAM and PDM that two L2Bs share."""


@pytest.mark.parametrize("seed", range(4))
def test_steps_of_pes_among_transfers_and_moves(machines: Pair, seed: int) -> None:
    random = Random(1000 + seed)
    for machine in machines:
        fill(machine, seed)
    lines: list[str] = []
    for transfer in transfers(random, 20):
        move = random.choice(MOVES).format(c=random.choice((0, 64, 128)), d=random.choice((0, 64)))
        lines += [*random.choices(INSIDE, k=3), transfer, *random.choices(INSIDE, k=2), "nop/4", move]
    check(lines, *machines)


OVERLAPS = (
    "fvadd $lr0v $ln0v $lr0v",
    "fvadd $lr0v $ln0v $lr2v",
    "fvadd $lr0v $ln0v $lr[6,0,2,4]",
    "fvadd $lr0v $ln0v $lr8 $lm0v",
    "fvfma $lr0v $ln0v $lm0v $lm0v; ipassa $lm0v $ls0v",
    "iadd $lr0v $ls0v $lr0v; fvadd $lr0v $ln8v $lm0v",
    "iadd $lr0v $ls0v $lr2v $ln0v; gmfma $lx $lm0v $lr0v $ls0v",
    "gmfma $ly $ln0v $lr4v $lr4v; gmwrite $lr4v $lx0",
    "hmfma $lx $ln0v $llr4v $llr4v",
    "gbfn $lr0v $lr0v; fvmul $aluf $mauf $ls0v",
    "l1bmm $lb0 $lr0v; fvadd $lr2v $lm0v $lm0v",
    "ipassa $lr0v $lr2v $ls0v",
)
"""Steps that read and write the same words, or write them in every cycle; forwarding paths keep what they put out."""


@pytest.mark.some(5)
@pytest.mark.parametrize("step", OVERLAPS)
def test_words_read_and_written_by_one_step(machines: Pair, step: str) -> None:
    for machine in machines:
        fill(machine, 5)
    check([step, "nop/4", "fvadd $aluf $mauf $lm64v; ipassa $mauf $ln64v", step], *machines)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_transfers_that_meet(machines: Pair, seed: int) -> None:
    for machine in machines:
        fill(machine, seed)
    check(transfers(Random(seed), 60), *machines)


def edge_words(seed: int, shape: tuple[int, int]) -> np.typing.NDArray[np.uint32]:
    """Singles around the largest, the smallest and the tied: few exponents, few mantissas."""
    rng = np.random.default_rng(seed)
    exponents = rng.choice([0, 1, 2, 24, 25, 26, 62, 63, 64, 65, 126, 127, 128, 253, 254, 255], shape)
    kept = rng.choice([0, 1, 16, 31, 32, 0x3FFFFF, 0x400000, 0x7FFFE0, 0x7FFFFE, 0x7FFFFF], shape)
    mantissas = np.where(rng.random(shape) < 0.7, kept, rng.integers(0, 1 << 23, shape))
    return (rng.integers(0, 2, shape) << 31 | exponents << 23 | mantissas).astype(np.uint32)


@pytest.mark.parametrize("seed", range(2))
def test_numbers_at_the_edges(machines: Pair, seed: int) -> None:
    for machine in machines:
        fill(machine, seed + 1)
        machine.lm0[:64], machine.lm1[:64] = edge_words(seed, (64, 4096)), edge_words(seed + 50, (64, 4096))
        if seed % 2:  # all of one row near each other, so that sums and products fall on ties and below the smallest
            machine.lm1[:64] = machine.lm0[:64] ^ (machine.lm1[:64] & 0x8080001F)
    check(
        [
            "fvmul $lm0v $ln0v $lr0v", "fvfma $lm0v -$ln8v $lr0v $lr8v", "fvadd $lm0v -$ln0v $lr16v",
            "fvadd $mauf $lm16v $lr24v", "fvmul -$lm8v $ln24v $lr32v $omr1", "fvfma $lm24v $ln24v $mauf $lr40v",
            "fvpassa $lm0v $lr48v", "l1bmrffadd $lm0v $lb0", "l1bmr4ffadd $llm0v $lb64", "l1bmrffadd $ln16v $lb128",
            "l2bmrffadd $lb64 $lc0", "l2bmrffadd@0,1 $lb0 $lc64", "mvrffadd/n128 $lc0 $p0@1",
            "gmwrite $lm0v $lx0", "gmwrite $lm8v $lx4", "gmfma $lx -$ln0v $lr0v $lr56v", "gmmul $lx $ln8v $lr64v",
            "gmwrite $lm16v $lx0", "gmfma $lx $ln16v $mauf $lr72v", "fmwrite $lm0v $ly0", "fmmul $ly $ln0v $lr80v",
        ],
        *machines,
    )  # fmt: skip
