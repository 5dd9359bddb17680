"""The table of rsqrt in the program that fixed it: energies of a Lennard-Jones pair (isa.md, section 10).

V = 4 (1/r^12 - 1/r^6), where 1/r^2 is the square of `frsqrt` and one Newton step. What is left of the table's error
shows in the fourth digit: the exact energy, or that of a finer table, is another.
"""

from __future__ import annotations

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.engine import native

PROGRAM = assemble("""
    imm f"2.0" $r64
    imm f"-1.0" $s64
    imm f"4.0" $r72
    fvmul $m0 $m0 $s8                # r^2
    frsqrt $mauf $nowrite
    fvmul $aluf $aluf $r16           # u, roughly 1 / r^2
    fvfma -$mauf $s8 $r64 $nowrite
    nop
    fvmul $mauf $r16 $s24            # u (2 - r^2 u): one Newton step
    fvmul $mauf $mauf $nowrite
    nop
    fvmul $mauf $s24 $r24            # 1 / r^6
    fvadd $mauf $s64 $nowrite
    nop
    fvmul $mauf $r24 $nowrite
    fvmul $mauf $r72 $n0
""")


def exact(r: float) -> float:
    return 4 * (r**-12 - r**-6)


def after_one_step(r: float) -> float:
    """Two unit masses at rest, a first step of semi-implicit Euler with dt = 0.0005."""
    return r + 2 * 24 * (2 * r**-13 - r**-7) * 0.0005**2


def energy(engine: str, r: float) -> str:
    """As the emulator prints it, from a fresh machine."""
    machine = Machine(engine)
    machine.lm0[0] = np.float32(r).view(np.uint32)
    machine.run(PROGRAM)
    return f"{machine.lm1[0].view(np.float32)[77]:g}"


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_energies_of_a_pair(engine: str) -> None:
    if engine == "native" and not native.available():
        pytest.skip("no C++ compiler")
    assert energy(engine, 1.3) == "-0.65689"
    assert energy(engine, after_one_step(1.3)) == "-0.656892"  # what the emulator printed first


def test_the_exact_energies_are_others() -> None:
    assert [f"{exact(r):g}" for r in (1.3, after_one_step(1.3))] == ["-0.657017", "-0.657019"]
