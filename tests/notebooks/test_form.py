"""Notebooks are made from their sources alone, keep only what is compared, and are in step with the sources."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbval.plugin import get_sanitize_patterns

from notebooks.build import build, main, problems, strays
from notebooks.form import (
    FOLDER,
    MARK,
    NotebookError,
    Place,
    adopt_outputs,
    bare,
    code_of,
    keep_marked,
    load,
    places,
    written,
)
from simulator.language import digest

PLACES = places()

SOURCE = f"""# A title

Text.


A cell of its own.

```python
x = 1
```

```python tags=["{MARK}"]
print(x)
```

```python
x = 1
```
"""

TRANSLATED = {"# A title": "# 題名", "Text.": "本文。", "A cell of its own.": "別のセル。"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    source = tmp_path / "source" / "01_a" / "01_first.md"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE, encoding="utf-8")
    (found,) = places((), tmp_path / "source", tmp_path)
    assert found.name == "01_a/01_first.ipynb"
    return found


def printed(text: str, name: str = "stdout") -> Any:
    return nbformat.v4.new_output("stream", name=name, text=text)


def executed(place: Place, *outputs: Any) -> Any:
    """The notebook as after an execution, its compared cell having these outputs."""
    notebook = bare(place)
    for count, cell in enumerate([cell for cell in notebook.cells if cell.cell_type == "code"], 1):
        cell.execution_count = count
        cell.outputs = list(outputs)
        cell.metadata["execution"] = {"iopub.execute_input": "2026-11-21T14:00:00Z"}
    return notebook


# --- the course's own notebooks -----------------------------------------------------------------------------------


@pytest.mark.some(4)
@pytest.mark.parametrize("place", PLACES, ids=[place.name for place in PLACES])
def test_notebook_is_in_step_with_its_source(place: Place) -> None:
    assert problems(place) == []


def test_every_notebook_has_a_source() -> None:
    assert strays() == []


# --- sources ------------------------------------------------------------------------------------------------------


def test_a_source_becomes_cells(place: Place) -> None:
    notebook = bare(place)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "markdown", "code", "code", "code"]
    assert notebook.cells[1].source == "A cell of its own."
    assert code_of(notebook) == [("x = 1", ()), ("print(x)", (MARK,)), ("x = 1", ())]


def test_a_folded_answer_has_room_below_it(place: Place) -> None:
    folded = "A cell of its own.\n\n<details><summary>Answer</summary>\n\n4\n\n</details>"
    place.source.write_text(SOURCE.replace("A cell of its own.", folded), encoding="utf-8")
    assert '<details style="margin-bottom: 1em"><summary>Answer</summary>' in bare(place).cells[1].source


def test_bytes_and_ids_are_the_same_each_time(place: Place) -> None:
    assert written(bare(place)) == written(bare(place))
    ids = [cell.id for cell in bare(place).cells]
    assert len(set(ids)) == len(ids)
    place.source.write_text(SOURCE.replace("# A title", "# Another"), encoding="utf-8")
    assert [cell.id for cell in bare(place).cells][1:] == ids[1:]


def test_nothing_of_this_machine_is_in_the_metadata(place: Place) -> None:
    notebook = executed(place, printed("1\n"))
    notebook.metadata.language_info = {"name": "python", "version": "3.99"}
    assert json.loads(written(keep_marked(notebook, "x")))["metadata"] == {
        "haribote": {"language": "en"},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


def test_shell_fences_are_refused(place: Place) -> None:
    place.source.write_text("```sh\nls\n```\n", encoding="utf-8")
    with pytest.raises(NotebookError, match=r"01_first.ipynb: cell 1 .*\n.*```console"):
        bare(place)


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(NotebookError, match="no notebook is called 'nine'"):
        places(["nine"])
    assert main(["--check", "nine"]) == 2


# --- outputs ------------------------------------------------------------------------------------------------------


def test_only_compared_cells_keep_outputs(place: Place) -> None:
    cells = [c for c in keep_marked(executed(place, printed("1"), printed("\n")), "x").cells if c.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [None, 2, None]
    assert [cell.outputs for cell in cells] == [[], [printed("1\n")], []]
    assert all(set(cell.metadata) <= {"tags"} for cell in cells)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([], "prints nothing"),
        ([printed("1", "stderr")], "gives stderr: 1"),
        ([printed("1"), nbformat.v4.new_output("display_data", data={"image/svg+xml": "<svg/>"})], "image/svg"),
        ([nbformat.v4.new_output("execute_result", data={"text/plain": "1"}, execution_count=1)], "text/plain"),
        ([printed("<object at 0x7f3c5a2b1c40>")], "an address"),
        ([printed(f"in {Path(__file__)}")], "a path of this machine"),
    ],
)
def test_a_compared_cell_prints_text_and_nothing_else(place: Place, outputs: list[Any], message: str) -> None:
    with pytest.raises(NotebookError, match=rf"here: cell 4, which is compared, .*{message}"):
        keep_marked(executed(place, *outputs), "here")


def test_outputs_are_taken_over_only_for_the_same_code(place: Place) -> None:
    old = keep_marked(executed(place, printed("1\n")), "x")
    place.source.write_text(SOURCE.replace("Text.", "Other text."), encoding="utf-8")
    assert written(adopt_outputs(bare(place), old, "x")) != written(old)
    place.source.write_text(SOURCE.replace("x = 1", "x = 2"), encoding="utf-8")
    with pytest.raises(NotebookError, match="different code cells"):
        adopt_outputs(bare(place), old, "x")


# --- in step ------------------------------------------------------------------------------------------------------


def test_what_is_out_of_step_is_found(place: Place) -> None:
    assert "has not been made" in problems(place)[0]
    good = keep_marked(executed(place, printed("1\n")), "x")
    place.notebook.parent.mkdir()
    place.notebook.write_bytes(written(good))
    assert problems(place) == []

    def change(**values: Any) -> list[str]:
        notebook = nbformat.reads(written(good).decode(), as_version=4)
        notebook.cells[values.pop("cell")].update(values)
        place.notebook.write_bytes(written(notebook))
        return problems(place)

    assert "cell 4 is to be compared, but has no output" in change(cell=3, outputs=[])[0]
    assert "cell 4 is to be compared, but has no execution count" in change(cell=3, execution_count=None)[0]
    assert "cell 3 is not compared, but has an output" in change(cell=2, execution_count=7)[0]
    assert "differs from its source" in change(cell=0, source="# Another title")[0]
    assert "different code cells" in change(cell=2, source="x = 3")[0]
    assert "links to nowhere.py" in change(cell=0, source="[this](nowhere.py)")[0]


def test_a_translation_has_the_code_of_the_original(place: Place) -> None:
    source = place.source.with_name("01_first.ja.md")
    source.write_text("".join(f"<!-- {digest(en)} -->\n{ja}\n\n" for en, ja in TRANSLATED.items()), encoding="utf-8")
    (ja,) = places(["ja"], place.source.parent.parent, place.notebook.parent.parent)
    assert ja.language == "ja" and ja.name == "01_a/01_first.ja.ipynb"
    assert [cell.source for cell in bare(ja).cells[:2]] == ["# 題名\n\n本文。", "別のセル。"]
    assert code_of(bare(ja)) == code_of(bare(place))
    place.notebook.parent.mkdir()
    place.notebook.write_bytes(written(keep_marked(executed(place, printed("1\n")), "x")))
    assert build(ja).cells[3].outputs == load(place).cells[3].outputs, "the outputs are those of the original"
    assert problems(ja) == []
    place.source.write_text(SOURCE.replace("Text.", "More text."), encoding="utf-8")
    assert "the English text has changed" in problems(ja)[0]
    place.source.unlink()
    assert "01_first.md, which is not there" in problems(ja)[0]


# --- sanitising ---------------------------------------------------------------------------------------------------


def sanitised(text: str) -> str:
    for pattern, replacement in get_sanitize_patterns((FOLDER / "sanitize.cfg").read_text(encoding="utf-8")):
        text = re.sub(pattern, replacement, text)
    return text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("wrote /home/ada/haribote/runs/judge/relu.vsm in 1.3 s", "wrote PATH in TIME"),
        (r"wrote C:\Users\Ada\runs\relu.vsm", "wrote PATH"),
        ("<kernel at 0x7f3c5a2b1c40>, 12.5 ms", "<kernel ADDRESS>, TIME"),
    ],
)
def test_paths_times_and_addresses_are_not_compared(text: str, left: str) -> None:
    assert sanitised(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "28 of 28 nodes; 24 steps and 6 MV; 1453 steps, 19,640 cycles",
        "l1bmm@2 $llb0/$lm0v $ln0v/n64",
        "PE 3: 0x3f800000 at address 12",
        "haribote/kernels/t5_12_relu.py:12: accuracy 0.91015625",
        "x / 255 - 0.1307, 1/N, p.grad -> 0.out[5x3]",
    ],
)
def test_all_else_is_compared(text: str) -> None:
    assert sanitised(text) == text


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_no_answer_is_stored_below_a_question_and_no_verdict_at_all(place: Place) -> None:
    """Whoever opens a notebook for the first time must not read what comes out, or that everything has passed."""
    cells = load(place).cells
    for cell, following in pairwise(cells):
        assert not (cell.source.startswith("predict(") and following.get("outputs")), following.source
    for cell in cells:
        stored = "".join(output.get("text", "") for output in cell.get("outputs", ()))
        assert not re.search(r"^(task )?\d\.\d+ (passed|failed)", stored, re.M), stored


def test_every_name_in_a_cell_is_defined() -> None:
    """Also in notebooks that only long runs execute."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821"]
    files = [str(place.notebook) for place in PLACES if place.language == "en"]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert files and done.returncode == 0, done.stdout + done.stderr
