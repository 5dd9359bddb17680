"""`%%vsm` in an IPython shell: what it shows, what it keeps, and that no mistake gives a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from simulator import Machine
from simulator.messages import Text
from simulator.notebook.card import Card
from simulator.notebook.magic import run_cell
from simulator.notebook.places import AXES, parse, read
from tests.japanese import japanese

Cells = Callable[[str], str]


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    made: InteractiveShell = InteractiveShell.instance()
    made.run_cell("%load_ext simulator")
    yield made
    InteractiveShell.clear_instance()


@pytest.fixture
def cell(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> Cells:
    def cells(text: str) -> str:
        capsys.readouterr()
        result = shell.run_cell(text)
        assert result.success, result
        return capsys.readouterr().out

    return cells


def test_a_cell_shows_cost_dump_and_picture(cell: Cells) -> None:
    out = cell("%%vsm --set lm0[0:8]=range(8) --dump lm1[2:4,0:2]:i\nlpassa $lm0v $ln0v\n")
    assert "✓ 1 step and 0 MV, 4 cycles" in out and "<picture: What `lpassa $lm0v $ln0v` moves" in out
    assert "word 2     2  2\nword 3     3  3" in out
    assert "<picture: A timeline of this program: 8 cycles" in cell("%%vsm\nlpassa $lm0v $ln0v\nnop\n")
    assert "What moves, cycle by cycle" in cell("%%vsm --picture motion\nlpassa $lm0v $ln0v\nnop\n")
    assert "1 to 8 lines" in cell("%%vsm --picture motion\n" + "nop\n" * 9)
    assert "picture" not in cell("%%vsm --picture none\nlpassa $lm0v $ln0v\n")


def test_a_machine_is_kept_by_its_name(cell: Cells, shell: InteractiveShell) -> None:
    cell("x = [0.5, 1.5]")
    cell("%%vsm --machine m --set 'lm0[0:2]=x * 1' --picture none\nnop\n")
    assert isinstance(shell.user_ns["m"], Machine)
    out = cell("%%vsm --machine m --dump lm1[0:2,7] --picture none\nlpassa $lm0v $ln0v\n")
    assert "0.5  1.5" in out
    assert shell.user_ns["m"].lm1[1, 7].view(np.float32) == 1.5
    assert "is a list, not a machine" in cell("%%vsm --machine x\nnop\n")


def test_errors_have_their_place_and_nothing_runs(cell: Cells) -> None:
    out = cell("%%vsm --machine kept\nlpassa $lm0v $lm8q\nfvadd $lm0v $lm8v $ln0v\n")
    assert "✗ 2 errors: nothing has run" in out and "line 1:14: error" in out and "line 2:13: error" in out
    assert "    lpassa $lm0v $lm8q\n                 ^\n" in out


def test_waits_and_doubts_are_told_and_the_program_runs(cell: Cells) -> None:
    out = cell("%%vsm --dump lm1[0:2,0]\nlpassa $ls0v $lm0v\nfvadd $lm0v $lm0v $ln0v\n")
    assert "refuses it" in out and "try: insert `nop/2` before line 2" in out and "lm1[0:2,0]" in out
    assert "! 1 step" in cell("%%vsm\nfvadd $mauf $lm0v $ln0v\n")
    assert "DEBUG-LM1" in cell("%%vsm\nd getf $ln0n0c0b0m0p0 1\n")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--dump", "expected one argument"),
        ("--dump foo", "no memory 'foo'"),
        ("--dump lm0[0:8", "no part of a memory"),
        ("--dump lm0[1,2,3]", "has 2 axes (word, PE), received 3"),
        ("--dump lm0[a]", "'a' is no index"),
        ("--dump lm0[4096]", "not within 0:4096"),
        ("--dump lm0", "too many to show"),
        ("--set lm0[0]", "gives no value"),
        ("--set lm0[0]=nowhere", "NameError"),
        ("--set lm0[0:9,0:2]=[1,2,3]", "has shape [9, 2]"),
        ("--set lm0[0]=2**40", "does not fit into 32 bits"),
        ("--set lm0[0]='text'", "NameError"),
        ("--set l1bm[0,0,0:2]=[1.5]", "two singles"),
        ("--set 'lm0[0]=1", "No closing quotation"),
        ("--machine 1x", "no name of a variable"),
        ("--colour", "unrecognized arguments"),
    ],
)
def test_mistakes_become_cards(line: str, says: str) -> None:
    shown: list[Any] = []
    run_cell(line, "nop\n", {}, shown.append)
    assert len(shown) == 1 and shown[0].state == "bad" and says in str(shown[0]), shown
    assert "Traceback" not in str(shown[0]) and "<pre>" in shown[0]._repr_html_()


def test_help_is_printed(cell: Cells) -> None:
    assert "usage: %%vsm [--machine" in cell("%vsm --help")
    assert "usage: %%vsm [--machine" in cell("%%vsm --help\nnop\n")


def test_the_viewer_runs_the_program_once() -> None:
    shown: list[Any] = []
    names: dict[str, Any] = {}
    run_cell("--machine m --view --set lm0[0]=1", "iadd $lm0 $lm0 $lm0\n", names, shown.append)
    assert names["m"].lm0[0, 0] == 2 and "<iframe" in shown[1]._repr_html_()


@pytest.mark.parametrize("name", AXES)
def test_every_memory_can_be_set_and_read(name: str) -> None:
    machine, shown = Machine(), []
    index = ",".join(["1"] * (len(AXES[name]) - 1) + ["0:2"])
    run_cell(f"--machine m --set {name}[{index}]=[1,0]", "nop\n", {"m": machine}, shown.append)
    assert read(machine, parse(f"{name}[{index}]")).tolist() == [1, 0], shown
    assert int(np.count_nonzero(machine.dram[1][0:9] if name == "dram" else getattr(machine, name)[1])) >= 1


def test_floats_in_long_words_lie_in_pairs_and_signs_are_kept() -> None:
    machine, shown = Machine(), []
    sets = "--set l1bm[0,0,0:2]=[1,2.5,-3,4] --set lm0[0:2,0]=[-1,2]"
    run_cell(f"--machine m {sets} --dump l1bm[0,0,0:2]:f --dump lm0[0:2,0]:i", "nop\n", {"m": machine}, shown.append)
    assert machine.l1bm[0, 0, 0] == 0x3F800000_40200000 and "1 2.5  -3 4" in str(shown[0])
    assert machine.lm0[0, 0] == 0xFFFFFFFF and "-1  2" in str(shown[0])


def test_ipython_is_imported_only_when_asked_for() -> None:
    code = "import sys, simulator, haribote.course; print('IPython' in sys.modules)"
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_mistake_has_no_traceback_but_the_lines_that_led_to_it(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "haribote" / "kernels" / "t1_add.py"
    path.parent.mkdir(parents=True)
    path.write_text("import simulator\ndef assembled(text):\n    return simulator.assemble(text)\n")
    shell.user_ns["path"] = str(path)
    shell.run_cell("import runpy\nassembled = runpy.run_path(path)['assembled']\n")
    capsys.readouterr()
    shell.run_cell("x = 1\nassembled('nonsense')")
    out = capsys.readouterr().out
    message, *places = out.rstrip().rsplit("\n", 2)
    assert message.startswith("<text>:1:1: error: ") and "Traceback" not in out and "\n    try: " in message
    assert places == [
        "  in line 2 of a cell: assembled('nonsense')",
        "  in line 3 of haribote/kernels/t1_add.py: return simulator.assemble(text)",
    ]


ENTRIES = {
    "{steps} step{s} and {moves} MV, {cycles:g} cycles": "{steps}ステップと MV {moves}個、{cycles}サイクル",
    "{head}; {nops} step{s} of them wait": "{head}（うち{nops}ステップは待ち）",
    "line {line}:{column}": "{line}行目：{column}",
    "{place}: {severity}: {message}": "{place}：{severity}：{message}",
    "error": "エラー",
    "word": "ワード",
    "integers": "整数",
    "not run": "実行していません",
    "try: {advice}": "試すこと：{advice}",
    "%%vsm: {message}": "%%vsm： {message}",
    "unrecognized arguments: %s": "知らない引数： %s",
    "in line {line} of a cell: {code}": "セルの{line}行目： {code}",
    "`{name}` is not an instruction": "`{name}` という命令はありません",
    "{count} error{s}: nothing has run": "エラー{count}個：何も実行していません",
    "Run the assembly of this cell on a machine: findings, cost, dumps and a picture.": "このセルを実行します。",
    "print this": "これを表示します",
}


def test_cells_speak_the_language_of_the_moment(cell: Cells) -> None:
    with japanese(ENTRIES):
        out = cell("%%vsm --dump lm1[2:4,0:2]:i --picture none\nnop/2\n")
        assert out.startswith("✓ 2ステップと MV 0個、8サイクル（うち2ステップは待ち）\nlm1[2:4,0:2]:i, 整数\n")
        assert "\nワード 2     0  0\nワード 3     0  0" in out
        out = cell("%%vsm\nnop\nnonsense\n")
        assert out.startswith(
            "✗ エラー1個：何も実行していません\n2行目：1：エラー：`nonsense` という命令はありません\n"
        )
        assert "\n    試すこと：" in out
        assert cell("%%vsm --what\nnop\n").startswith("✗ 実行していません\n%%vsm： 知らない引数： --what\n")
        out = cell("%%vsm --help\nnop\n")
        assert "このセルを実行します。" in out and "これを表示します" in out
        page = Card("good", Text("not run"), "x")._repr_html_()
        assert ' lang="ja"' in page and "✓ 実行していません" in page


def test_a_mistake_is_in_the_language(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    with japanese(ENTRIES | {"{place}: {severity}: {message}": "{severity}：{message}"}):
        shell.run_cell("from simulator import assemble\nassemble('nonsense')")
    out = capsys.readouterr().out
    assert out.startswith("エラー：`nonsense` という命令はありません\n    試すこと：")
    assert out.endswith("\n  セルの2行目： assemble('nonsense')\n")


def test_a_wrong_language_is_told(cell: Cells, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "fr")
    assert cell("%%vsm\nnop\n").startswith("✗ not run\nHARIBOTE_LANG is 'fr'\n    try: one of en, ja")
    assert "<pre>" in Card("bad", "not run", "why")._repr_html_()
