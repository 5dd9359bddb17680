"""The recording behind the view: complete, true to the machine, and honest about what it leaves out."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator import ExecutionError, Machine, SimulatorError, assemble
from simulator.__main__ import main
from simulator.effects.places import parse_place
from simulator.engine.state.contents import KINDS, NOWHERE, UNITS, contents
from simulator.engine.state.snapshot import snapshot
from simulator.isa.units import PATHS
from simulator.view import Opening, View
from simulator.view.recording import ABSENT, UNKNOWN, Recorder, distinct, record
from simulator.view.scope import CHIP, Scope, parse_unit

PROGRAMS = {
    "vectors": """
        d set $lm0n0c0b0p0 2 C300788E43E6C407436D8FD242CA0D76
        d set $lm0n1 2 3F8000004000000040400000C0800000
        frelu $lm0v $lm0v $ln0v
        fvfma $lm0v $aluf $lm0v $lr0v $t
        fvadd $mauf -$lr0v $nowrite ; imm i"7" $ls0v
        nop/3
        d get $ln0n0c0b0m0p0 2
    """,
    "masks": """
        ipassa $peid $lr0v
        iadd $peid $aluf $omr1
        isub $l1bid $aluf $omr2 $ls0v
        imm i"5" $ln0v/$imr1
        ipassa $aluf $llm0v/1010
        imm i"8" $lr8v/$imr2
        imm/$imr1 i"9" $ls8v
        maskrs 2
        imm i"4" $lr16v $ls16v
        imm i"3" $t/$imr2
    """,
    "addresses": """
        imm ui"6" $t
        ipassa $peid $lm0v
        nop/2
        ipassa $lmt0v $lr0v
        ipassa $peid $lmb
        nop/3
        ipassa $peid $lm16v
        imm i"3" $r40vj1
        ipassa $r40vj0 $s4v
    """,
    "matrix": """
        ipassa $peid $lr0v
        gbfn $lr0v $lr8v
        nop/2
        gmwrite $lr8v $lx0
        gmwrite $lr8v $lx4
        gmmul $lx $lr8v $lr16v
        gmread $lx2 $ls0v
        hmwrite $llr8v $lly2
    """,
    "transfers": """
        ipassa $peid $lr0v $t
        nop/2
        l1bmd $lr0v $lb0
        nop/3
        l1bmd+3 $lb0 $lm0v
        l1bmm@5 $llr0v $llb256
        l1bmm $llbi $lln0v
        l1bmrffadd $lr0v $lb320
        nop/4
        l2bmd $lb0 $lc0
        l2bm@3 $lb256 $lc256
        l2bmriiadd $lb320 $lc320
        l2bmi@0/3 $lb0 $lb512
        nop/4
        l2bmb@0/1 $lc256 $lb576
        l2bmb2 $lc0 $lb640
        l2bmd $lc0 $lb704
        l1bmp $lb0 $ls0v
    """,
    "moves": """
        r 0 000000000 4 3F8000004000000040400000C08000003F8000004000000040400000C0800000
        r 3 000000010 1 3F80000040000000
        mvp/n64 $d0@0 $p64@2
        mvd/n256 $d0 $p0@1
        mvb/n64 $p0@1 $lc0
        mvb2/n64 $d0 $lc64
        mvb4/n64 $d0 $lc128
        mvrffadd/n64 $lc0 $p512@2
        mvr4iiadd/n64 $lc64 $d128
        mvr2iiadd/n64 $lc64 $d256
        mvp/n64 $lc0@.1 $d512
        mvd/n64 $lc0 $p1024@3
        mvd/n256 $p0@1 $d1024
    """,
}


def recorded(text: str, **options: Any) -> tuple[Recorder, Machine]:
    machine = Machine()
    return record(assemble(text), machine, options.pop("scope", CHIP), **options), machine


SHOWN = {"dram": 2048, "pdm": 4096, "l1bm": 1024, "l2bm": 1024}
"""The programs touch no higher addresses of the large memories."""


def replay(recorder: Recorder) -> dict[str, np.ndarray]:
    """The memories that the recording gives at its end, from its writes alone: uint32 [address, word, unit]."""
    state = {
        name: np.zeros((SHOWN.get(name, kind.size), 2 if kind.long else 1, UNITS[kind.level]), np.uint32)
        for name, kind in KINDS.items()
    }
    for access in (access for frame in recorder.frames for access in frame.accesses if access.write):
        target = state[access.memory]
        index = np.zeros(target.shape[2], np.uint16) if access.index is None else access.index
        units = np.flatnonzero(index < UNKNOWN)
        rows = access.rows[index[units]]
        if access.addresses is None:
            addresses, rows = rows[:, : access.count].view(np.int32), rows[:, access.count :]
        else:
            addresses = np.broadcast_to(access.addresses, (len(units), access.count))
        values = rows.reshape(len(units), access.count, target.shape[1])
        for place in range(access.count):
            taking = addresses[:, place] != NOWHERE
            target[addresses[taking, place], :, units[taking]] = values[taking, place]
    return state


def assert_state(recorder: Recorder, machine: Machine) -> None:
    """All of the machine's memories, against the replay."""
    for memory, found in replay(recorder).items():
        addresses = np.arange(len(found))
        if memory in PATHS:
            words = machine.paths[memory].shape[1]
            addresses = np.array([4 * cycle + word for cycle in range(4) for word in range(words)])
        elif memory == "omr":
            addresses = np.arange(1, 16)
        elif memory == "turn":
            block = machine.turnaround
            addresses = np.arange(0 if block is None else block[1].reshape(64, -1).shape[1])
        if len(addresses):
            values = contents(machine, memory, addresses).reshape(len(addresses), found.shape[1], -1)
            np.testing.assert_array_equal(found[addresses], values, err_msg=memory)


@pytest.mark.some(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_recorded_writes_give_the_machines_memories(name: str) -> None:
    assert_state(*recorded(PROGRAMS[name]))


def test_a_machine_that_is_not_empty_is_the_first_frame() -> None:
    machine = Machine()
    machine.lm0[7] = np.arange(4096)
    machine.l1bm[3, 2, 9] = 1 << 40
    machine.write_dram(0, np.arange(32, dtype=np.int32))
    machine.run(assemble(PROGRAMS["masks"]))
    recorder = record(assemble("mvb2/n64 $d0 $lc0\nl1bmp $lb8 $lr0v"), machine, CHIP)
    assert_state(recorder, machine)
    assert recorder.frames[0].lines == ()
    dram = [access for access in recorder.frames[0].accesses if access.memory == "dram"]
    assert len(dram) == 1 and len(dram[0].rows) == 4  # the four groups differ


def test_lines_before_start_are_executed_and_not_shown() -> None:
    text = 'imm i"1" $lr0v\nimm i"2" $lr8v\nimm i"3" $ls0v\nimm i"4" $ls8v'
    recorder, machine = recorded(text, start=3, until=3)
    assert [line.line for frame in recorder.frames for line in frame.lines] == [3]
    assert_state(recorder, machine)
    assert not machine.grf1[8:16].any()


def test_reads_name_what_was_read() -> None:
    recorder, _ = recorded(PROGRAMS["vectors"])
    frame = next(frame for frame in recorder.frames if frame.lines and frame.lines[0].text.startswith("fvfma"))
    reads = {a.memory: np.asarray(a.addresses).tolist() for a in frame.accesses if not a.write}
    assert reads == {"lm0": list(range(8)), "aluf": [0, 1, 4, 5, 8, 9, 12, 13]}


def test_masked_units_take_no_part() -> None:
    recorder, machine = recorded('ipassa $peid $omr2\nimm i"5" $ln0v/$imr2')
    access = next(a for a in recorder.frames[-1].accesses if a.memory == "lm1")
    assert access.index is not None
    assert {int(pe) for pe in np.flatnonzero(access.index != ABSENT)} == set(range(0, 4096, 64))
    assert machine.lm1[0].sum() == 5 * 64


def test_debug_statements_of_a_kind_are_one_frame() -> None:
    text = "d set $lm0n0c0b0m0p0 1 3F80000040000000\nd set $lm2n0c0b0m0p1 1 3F80000040000000\nnop\nd get $lm0n0c0b0 1"
    recorder, machine = recorded(text)
    assert [len(frame.lines) for frame in recorder.frames] == [0, 2, 1, 1]
    assert len(recorder.frames[-1].printed) == 64 and "LM0(n0c0b0m0p0,0)" in recorder.frames[-1].printed[0]
    assert_state(recorder, machine)


def test_distinct_columns() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (3, 200), dtype=np.uint32)
    index, rows = distinct(table)
    np.testing.assert_array_equal(rows[index].T, table)
    assert len(rows) == len({tuple(column) for column in table.T})
    assert list(dict.fromkeys(index.tolist())) == list(range(len(rows)))  # in the order of their first unit


# --- the budget ------------------------------------------------------------------------------------------------------


def test_values_of_distant_units_are_given_up_when_the_budget_is_spent() -> None:
    machine = Machine()
    machine.lm0[:8] = np.random.default_rng(0).integers(0, 2**32, (8, 4096), dtype=np.uint32)
    expected = machine.lm0[:8, :64].copy()
    recorder = record(assemble("ipassa $lm0v $ln0v"), machine, CHIP, budget=5_000)
    assert recorder.scope.names == ["n0c0b0"]
    access = next(a for a in recorder.frames[1].accesses if a.memory == "lm1")
    assert access.index is not None and (access.index[64:] == UNKNOWN).all()
    np.testing.assert_array_equal(access.rows[access.index[:64]].T, expected)


def test_a_named_unit_is_recorded_alone() -> None:
    unit = parse_unit("n1c0b2")
    recorder, _ = recorded(PROGRAMS["transfers"], scope=Scope((unit,)), narrow=False)
    for frame in recorder.frames:
        for access in frame.accesses:
            if access.memory == "lm0" and access.write:
                assert access.index is not None
                assert set(np.flatnonzero(access.index < UNKNOWN)) == set(range(1024 + 128, 1024 + 192))


# --- the page --------------------------------------------------------------------------------------------------------


def unpacked(html: str) -> dict[str, Any]:
    found = re.search(r'id="data">([^<]*)<', html)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


def test_the_page_needs_nothing_but_itself() -> None:
    html = View(assemble(PROGRAMS["vectors"], "vectors.vsm")).page
    assert "<title>vectors.vsm" in html
    assert not re.search(r"""https?:|\bsrc=|<link|@import|url\(|@[A-Z]+@""", html)


def test_the_page_says_what_is_recorded() -> None:
    program = assemble(PROGRAMS["vectors"])
    assert "all 4,096 PEs" in unpacked(View(program).page)["notes"][0]
    notes = " ".join(unpacked(View(program, units=["n0c0b1"], start=4, until=5).page)["notes"])
    assert "n0c0b1 only" in notes and "before line 4" in notes and "after line 5" in notes


def test_a_name_with_special_letters_stays_text() -> None:
    assert "<title>&lt;b&gt;@DATA@.vsm" in View(assemble("nop", "<b>@DATA@.vsm")).page


def test_findings_of_the_checks_stand_at_their_line() -> None:
    frames = unpacked(View(assemble("ipassa $peid $lm0v\nipassa $lm0v $ln0v")).page)["frames"]
    assert any("LM0" in text for remark in frames[2]["remarks"] for text in remark)


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    shown = View(assemble("nop"))._repr_html_()
    assert shown.startswith("<iframe ") and " srcdoc=" in shown and "<script" not in shown


@pytest.mark.slow
def test_a_program_of_many_lines_stays_small() -> None:
    view = View(assemble("\n".join(f"fvfma $lm{8 * i % 64}v $lr0v $lr0v $ln{8 * i % 64}v" for i in range(600))))
    assert view.frames == 600 and len(view.page) < 500_000


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.vsm", tmp_path / "view.html"
    source.write_text(PROGRAMS["vectors"])
    assert main(["view", str(source), "-o", str(target), "--unit", "n0c0b0m0p0", "--until", "6"]) == 0
    assert "values of n0c0b0m0p0 only" in capsys.readouterr().err
    assert target.read_text().startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.vsm", "view.html"]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("nop", ["--unit", "n9"], "n goes from 0 to 3"),
        ("nop", ["--from", "5"], "nothing to show from line 5"),
        ("nop", ["--until", "0"], "nothing to show"),
        ("", [], "no lines"),
        ("frelu $lm0v", [], "error"),
        ("nop", ["--testcase", "missing.vsm"], "cannot read missing.vsm"),
    ],
)
def test_mistakes_end_with_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: list[str], message: str
) -> None:
    source, target = tmp_path / "a.vsm", tmp_path / "view.html"
    source.write_text(text)
    assert main(["view", str(source), "-o", str(target), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not target.exists()


def test_a_line_that_cannot_be_executed_is_named() -> None:
    with pytest.raises(ExecutionError, match="<text>:2: "):
        View(assemble("nop\nl1bmm $lbi $lm0v"))


def test_a_test_case_gives_the_operands(shared: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "relu.vsm", tmp_path / "view.html"
    source.write_text("frelu $lm0v $lm0v $ln0v\nfrelu $lm8v $lm8v $ln8v\n")
    case = shared / "golden" / "relu.vsm"
    assert main(["view", str(source), "-o", str(target), "--testcase", str(case)]) == 0
    assert {"lm0", "lm1", "aluf"} == unpacked(target.read_text())["used"].keys()


def test_a_page_has_room_for_so_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.view.MOST_LINES", 3)
    program = assemble("nop\n" * 4, "long.vsm")
    with pytest.raises(
        SimulatorError, match=r"long.vsm: 4 lines .* which is 3\n +try: a piece, e.g. --from 1 --until 3"
    ):
        View(program)
    assert View(program, start=2).frames == 3


def test_a_file_name_may_be_any_bytes() -> None:
    """On Linux a name need not be UTF-8; Python then has surrogates in it, which no page can hold."""
    view = View(assemble("nop", "\udcff.vsm"))
    assert "?.vsm" in view.page.encode().decode()


def test_a_folder_is_shown_with_the_operands_beside_its_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine()
    machine.lm0[4] = 0x3F800000
    machine.write_dram(0, np.arange(32, dtype=np.int32))
    (tmp_path / "step.npz").write_bytes(snapshot(machine))
    (tmp_path / "step.vsm").write_text("mvb2/n64 $d0 $lc0\nipassa $lm0v $ln0v\n# host: Exp e: x -> y\nnop\n")
    assert main(["view", str(tmp_path)]) == 0
    assert "step.html: 3 steps" in capsys.readouterr().err
    data = unpacked((tmp_path / "step.html").read_text())
    assert [access["m"] for access in data["frames"][0]["accesses"]] == ["lm0", "dram"]
    assert any("step.npz" in note for note in data["notes"]) and any("1 pieces" in note for note in data["notes"])
    assert main(["view", str(tmp_path), "--zeros", "-o", str(tmp_path / "zeros.html")]) == 0
    assert not unpacked((tmp_path / "zeros.html").read_text())["frames"][0]["accesses"]


def test_a_folder_without_a_program_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path)]) == 2
    assert "has no step.vsm" in capsys.readouterr().err


def test_junk_is_kept_where_the_program_touches_it_only() -> None:
    machine = Machine()
    machine.lm0[...] = 0x7E500000
    machine.lm0[2, 5] = 1
    machine.grf0[...] = 0x7E500000
    recorder = record(assemble("lpassa $lr0 $ln0"), machine, CHIP, junk=(0x7E5,))
    kept = {a.memory: np.asarray(a.addresses).tolist() for a in recorder.frames[0].accesses}
    assert kept == {"lm0": [2], "grf0": [0, 1]}


def test_what_fits_is_the_part_around_the_word_of_the_opening() -> None:
    machine = Machine()
    machine.lm0[:8] = np.random.default_rng(0).integers(0, 2**32, (8, 4096), dtype=np.uint32)
    (place,) = parse_place("$n1n2c1b3m4p1")
    view = View(assemble("ipassa $lm0v $ln0v"), machine, budget=5_000, opening=Opening("", word=place))
    assert view.recorded == ["n2c1b3"] and unpacked(view.page)["unit"].startswith("n2c1b3")
