"""Transfer instructions as maps: checked against what the machine does, not against the formulas they come from."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.instructions_as_maps import NotABitMap, map_of
from haribote.stack.maps import Bit
from simulator import Machine, assemble
from simulator.isa import INSTRUCTIONS, MOVES


def _names(line: str) -> dict[str, str]:
    """Target bits and the source bits that lead to them."""
    return {str(t): str(lead.source[0]) if lead.source else "" for lead in map_of(line).leads for t in lead.target}


def test_the_example_of_the_module() -> None:
    found = _names("l2bmd $lc0 $lb0")
    assert found["address 3"] == "address 6" and found["L1B 2"] == "address 5" and found["address 2"] == "address 2"


@pytest.mark.parametrize("line", ["l2bmd $lc0 $lb0", "l2bmb $lc0 $lb0", "l2bmb2 $lc0 $lb0"])
def test_the_machine_moves_along_the_map(line: str) -> None:
    machine = Machine()
    machine.l2bm[:, :256] = np.arange(1, 257)
    machine.run(assemble(line))
    lb = machine.l1bm.reshape(8, 8, -1)
    for address in range(32):
        for l1b in range(8):
            source = 0
            for lead in map_of(line).leads:
                at = {"address": address, "L1B": l1b}
                if any(at[bit.level] >> bit.number & 1 for bit in lead.target):
                    source |= sum(1 << bit.number for bit in lead.source)
            assert lb[3, l1b, address] == source + 1


@pytest.mark.parametrize("line", ["l1bmm $llb0 $lln0v", "l1bmp $llb0 $lln0v", "l1bmd $lb0 $ln0v", "l1bmm4 $lb0 $ln0v"])
def test_the_machine_moves_along_the_map_to_the_pes(line: str) -> None:
    machine = Machine()
    machine.l1bm[...] = np.arange(1, 8193)
    machine.run(assemble(line))
    wide = "llb" in line
    words = machine.lm1.reshape(-1, 2, 4096)[:, 1]  # low words of long words
    for pe in range(0, 64, 7):
        for cycle in range(4):
            for long in range(2 if wide else 1):
                at = {"PE": pe % 4, "MAB": pe // 4, "cycle": cycle, "long": long}
                leads = [x for x in map_of(line).leads if any(at[b.level] >> b.number & 1 for b in x.target)]
                source = sum(1 << bit.number for lead in leads for bit in lead.source)
                assert words[(2 if wide else 1) * cycle + long, pe] == source + 1


def test_a_chosen_unit_is_marked() -> None:
    leads = [lead for lead in map_of("l1bmm@3 $llm0v $llb0").leads if lead.chosen]
    assert [lead.source for lead in leads] == [(Bit("MAB", number),) for number in range(4)]
    assert len([lead for lead in map_of("l1bmm4@1 $lm0v $lb0").leads if lead.chosen]) == 2


@pytest.mark.parametrize(
    "line", ["l1bmd+3 $lb0 $lm0v", "msl $lm0v $ln0v", "l2bmi@0/3 $lb0 $lb64", "fvadd $lm0v $lr0v $n0"]
)
def test_what_is_no_map_is_refused(line: str) -> None:
    with pytest.raises(NotABitMap):
        map_of(line)


def test_every_transfer_of_the_table_is_a_map_or_known_not_to_be() -> None:
    refused = set()
    rows = [row for row in INSTRUCTIONS.values() if any(form.formula for form in row.forms)]
    lines = [row.example for row in rows] + [row.example for row in MOVES.values() if row.forms]
    for line in lines:
        try:
            assert map_of(line).leads
        except NotABitMap:
            refused.add(line.split()[0].partition("@")[0])
    assert refused == {"msl", "msr", "l2bmi"}
    assert len(lines) > 20
