"""The debug statements `d set`, `d get` and `r` (isa.md, section 3.1)."""

from __future__ import annotations

import pytest

from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine
from simulator.errors import AssemblyError
from simulator.isa.program import DebugGet, DebugSet, DebugTarget, DramPreset


def test_set_names_a_unit_and_takes_long_words() -> None:
    (line,) = assemble("d set $lm0n0c0b1p1 1 C28B6069C355C807 # values=[-69.7, -213.8]").lines
    assert line == DebugSet(
        1, "d set $lm0n0c0b1p1 1 C28B6069C355C807", DebugTarget("lm0", 0, 0, 0, 1, None, 1), (0xC28B6069C355C807,)
    )


def test_letters_separate_long_words() -> None:
    (line,) = assemble("d set $lt0 2 l0000000000000001l00000000000000ff").lines
    assert isinstance(line, DebugSet)
    assert line.values == (1, 255)
    assert line.target == DebugTarget("t", 0)


@pytest.mark.parametrize("dtype", ["", "d", "f", "h", "bd", "bf", "bg", "bh"])
def test_get_has_a_type(dtype: str) -> None:
    (line,) = assemble(f"\n  d get{dtype} $ln2n3c1b7m15p3 4  # expect").lines
    assert line == DebugGet(2, f"d get{dtype} $ln2n3c1b7m15p3 4", dtype, DebugTarget("lm1", 2, 3, 1, 7, 15, 3), 4)


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("$m0", "lm0"),
        ("$llm0", "lm0"),
        ("$ln0", "lm1"),
        ("$lr0", "grf0"),
        ("$ls0", "grf1"),
        ("$t3", "t"),
        ("$omr1", "omr"),
        ("$lb0n0c0b0", "l1bm"),
        ("$lc0n0c1", "l2bm"),
        ("$p0n2", "pdm"),
        ("$d0n2", "dram"),
    ],
)
def test_memories(text: str, memory: str) -> None:
    (line,) = assemble(f"d get {text} 1").lines
    assert isinstance(line, DebugGet)
    assert line.target.memory == memory


def test_preset_has_hexadecimal_address_and_count() -> None:
    (line,) = assemble("r 2 000000010 002 00000000000000010000000000000002").lines
    assert line == DramPreset(1, "r 2 000000010 002 00000000000000010000000000000002", 2, 16, (1, 2))


WRONG = {
    "d put $lm0 1": "cannot read the debug statement",
    "d get $lm0": "cannot read the debug statement",
    "d get $lm0p0n0 1": "cannot read the debug statement",
    "d get $lm0 1 3F80000040000000": "`d get` takes no payload",
    "d get $lm0 0": "the count must be at least 1",
    "d get $lx0 1": "`$lx` is not a memory that can be shown or set",
    "d get $lm0n4 1": "unit `n4` does not exist",
    "d get $lc0b1 1": "L2BM has no unit field `b`",
    "d get $d0n0c0 1": "DRAM has no unit field `c`",
    "d get $lm3 1": "address 3 of LM0 is odd",
    "d set $r1n0 1 3F80000040000000": "address 1 of GRF0 is odd",
    "d set $omr0 1 0000000000000000": "mask register entries 0 and 16 to 31 cannot be written",
    "d set $omr15 2 00000000000000000000000000000000": "mask register entries 0 and 16 to 31 cannot be written",
    "d set $lm0 1 0x3F800000400000": "a count of 1 needs 16 hex digits, but the payload has 15",
    "d get $d0 536870912": "this statement prints 2147483648 long words, more than 262144",
    "d get $lm0 2048": "this statement prints 8388608 long words",
    f"d get $lm{'9' * 5000} 1": "cannot read the debug statement",
    f"r 0 0 {'9' * 5000} 00": "cannot read the DRAM preset",
    "d get $lm4094 2": "2 long words from address 4094 on lie outside LM0",
    "d get $lt7 2": "2 long words from address 7 on lie outside T",
    "d get $omr32 1": "address 32 lies outside OMR",
    "d set $lm0 1": "`d set` needs a payload",
    "d set $lm0 2 3F80000040000000": "a count of 2 needs 32 hex digits, but the payload has 16",
    "d set $lm0 1 3F8000004000000": "a count of 1 needs 16 hex digits, but the payload has 15",
    "r 4 000000000 001 3F80000040000000": "group 4 does not exist",
    "r 0 020000000 001 3F80000040000000": "lies outside DRAM",
    "r 0 000000000 001 3F800000": "a count of 1 needs 16 hex digits, but the payload has 8",
    "r 0 1": "cannot read the DRAM preset",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong(text: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(f"\n  {text}")
    (finding,) = caught.value.diagnostics
    assert (finding.line, finding.column) == (2, 3)
    assert WRONG[text] in finding.message


def test_t_needs_no_address_and_repeats_after_four() -> None:
    payload = "".join(f"{number:016X}" for number in (1, 2, 3, 4))
    for name in ("$ltn0c0b0m0p0", "$tn0c0b0m0p0", "$llt0n0c0b0m0p0"):
        entries = Machine().run(assemble(f"d set $lt0n0c0b0m0p0 4 {payload}\nd get {name} 8")).entries
        assert [(entry.address, entry.value) for entry in entries] == [(i, 1 + i % 4) for i in range(8)]
    (line,) = Machine().run(assemble("d get $tn0c0b0m0p0 1")).dump
    assert line.endswith("#d get $ltn0c0b0m0p0 1")
    for refused in ("d get $ltn0c0b0m0p0 9", "d get $lt4n0 5", "d set $lt4n0 1 0000000000000000", "d get $lmn0c0 1"):
        with pytest.raises(AssemblyError):
            assemble(refused)


@pytest.mark.parametrize(
    "line", ["d get $lm\u0662n0 1", "d get $lm0n0 \u0661", "r \u0660 000000000 001 0000000000000000"]
)
def test_digits_are_ascii(line: str) -> None:
    with pytest.raises(AssemblyError):
        assemble(line)
