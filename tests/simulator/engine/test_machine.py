"""The machine as a whole: memories, DRAM layout, running programs (design.md, sections 3 and 5)."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from simulator import AssemblyError, ExecutionError, Machine, SimulatorError, assemble
from simulator.engine import machine
from simulator.isa.program import Line

ROOT = Path(__file__).resolve().parents[3]


def test_shapes_are_those_of_the_design() -> None:
    m = Machine()
    assert m.lm0.shape == m.lm1.shape == (4096, 4096)
    assert m.grf0.shape == m.grf1.shape == (512, 4096)
    assert m.l1bm.shape == (8, 8, 8192)
    assert m.l2bm.shape == (8, 32768)
    assert m.pdm.shape == (4, 524288)
    assert m.t.shape == (4, 4, 4096)
    assert m.omr.shape == (32, 4, 4, 4096)
    assert m.mx.shape == m.my.shape == (16, 1024, 8)
    assert m.bar0.shape == m.bar1.shape == (4096,)
    assert len(m.dram) == 4
    assert m.omr[0].all() and m.omr[31].all() and not m.omr[16].any()
    assert m.omr[24, :, 0, 0].tolist() == [True, False, False, False]


def test_a_machine_fits_in_2_gib_of_address_space() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30));"
        "from simulator import Machine, assemble;"
        "m = Machine(); m.run(assemble('zero $llm0v')); m.dram[3][2**29 - 1:2**29] = 7;"
        "print(m.dram[3][2**29 - 1:2**29])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (0, "[7]\n"), done.stderr


@pytest.mark.parametrize("shape", [(16,), (5,), (2, 3), (16, 16), (256, 16), (3, 8)])
def test_tensors_return_from_dram(shape: tuple[int, ...]) -> None:
    m = Machine()
    array = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    m.write_dram(100, array)
    assert (m.read_dram(100, shape, np.float32) == array).all()
    m.write_dram(100, np.arange(array.size, dtype=np.int32).reshape(shape))
    assert (m.read_dram(100, shape, "int32").ravel() == np.arange(array.size)).all()


def test_small_tensors_lie_in_group_0_and_larger_ones_in_four_parts() -> None:
    m = Machine()
    m.write_dram(0, np.arange(16, dtype=np.int32))
    assert m.dram[0][0:9].tolist() == [(2 * i) << 32 | (2 * i + 1) for i in range(8)] + [0]
    assert not m.dram[1][0:9].any()
    m.write_dram(50, np.arange(64, dtype=np.int32).reshape(4, 16))
    for group in range(4):
        assert m.dram[group][50:58].tolist() == [
            (16 * group + 2 * i) << 32 | (16 * group + 2 * i + 1) for i in range(8)
        ]  # fmt: skip


def test_tensors_that_do_not_fit_are_refused() -> None:
    m = Machine()
    with pytest.raises(SimulatorError, match="32-bit elements, received float64"):
        m.write_dram(0, np.zeros(4))
    with pytest.raises(SimulatorError, match="20 elements cannot be parted evenly"):
        m.write_dram(0, np.zeros(20, np.float32))
    with pytest.raises(SimulatorError, match="not within 0 to 536870911"):
        m.write_dram(2**29 - 1, np.zeros(16, np.float32))
    with pytest.raises(SimulatorError, match="32-bit elements, asked for float16"):
        m.read_dram(0, (4,), np.float16)


def test_unknown_engines_are_refused() -> None:
    with pytest.raises(SimulatorError, match=r"no engine 'vhdl'\n    try: 'numpy'"):
        Machine(engine="vhdl")


def test_state_stays_from_run_to_run() -> None:
    m = Machine()
    m.run(assemble('imm i"5" $r0'))
    result = m.run(assemble("iinc $r0 $r0\nd get $lr0n0c0b0m0p0 1\nnop/7\nmvnop"))
    assert (m.grf0[0] == 6).all()
    assert (result.steps, result.mv, result.cycles) == (8, 1, 32)
    assert result.dump == [
        "DEBUG-GREG0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x6},{0x0,0x0}}, v:0x600000000) #d get $lr0n0c0b0m0p0 1"
    ]


def test_until_and_observer() -> None:
    seen: list[Line] = []
    m = Machine()
    program = assemble('imm i"1" $r0\nimm i"2" $r0\n\nimm i"3" $r0')
    result = m.run(program, until=3, observer=seen.append)
    assert (m.grf0[0] == 2).all()
    assert [line.line for line in seen] == [1, 2]
    assert result.steps == 2


@pytest.mark.slow
def test_programs_are_decoded_once_and_forgotten_with_them() -> None:
    program = assemble("iinc $r0 $r0")
    first = machine.decoded(program)
    assert machine.decoded(program) is first
    function = weakref.ref(first[0])
    del program, first
    gc.collect()
    assert function() is None


def test_a_run_is_shown_in_one_line() -> None:
    machine = Machine()
    assert repr(machine.run(assemble("mvp/n64 $d0@0 $lc0@0.0"))) == "0 steps and 1 MV: 4 cycles"
    assert repr(machine.run(assemble("nop"))) == "1 step (1 of them a nop) and 0 MV: 4 cycles"
    shown = repr(machine.run(assemble("nop/2\nlpassa $lm0v $ln0v\nd getd $lm0n0c0b0m0p0 2")))
    assert shown.startswith("3 steps (2 of them nops) and 0 MV: 12 cycles; 2 lines of dump")


def test_errors_name_file_and_line() -> None:
    with pytest.raises(ExecutionError, match=r"k.vsm:2: the turnaround register holds nothing"):
        Machine().run(assemble("nop\nl1bmm $lbi $lr0v", "k.vsm"))
    with pytest.raises(AssemblyError):
        assemble("what $lm0")
