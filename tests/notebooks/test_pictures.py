"""Pictures that notebooks keep: small, without script, drawn anew by the check; saving a notebook changes nothing."""

from __future__ import annotations

import copy
import runpy
from pathlib import Path
from typing import Any

import nbformat
import pytest

from haribote import draw
from notebooks.build import problems
from notebooks.form import FOLDER, KEEP, LARGEST, SVG, NotebookError, Place, bare, keep_marked, load, places, written
from notebooks.labserver import QUIET

SOURCE = f"""# A title

```python tags=["{KEEP}"]
draw.move("l2bmb $lc0 $lb0")
```
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    source = tmp_path / "source" / "01_a" / "01_first.md"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE, encoding="utf-8")
    (tmp_path / "01_a").mkdir()
    (found,) = places((), tmp_path / "source", tmp_path)
    return found


def shown(picture: Any, **more: str) -> Any:
    """What Jupyter makes of the last expression of a cell."""
    data = {"text/html": picture._repr_html_(), SVG: picture._repr_svg_(), "text/plain": repr(picture), **more}
    return nbformat.v4.new_output("execute_result", data=data, execution_count=1)


def executed(place: Place, *outputs: Any) -> Any:
    notebook = bare(place)
    notebook.cells[-1].outputs, notebook.cells[-1].execution_count = list(outputs), 1
    return notebook


def test_a_picture_is_kept_without_its_html(place: Place) -> None:
    picture = draw.move("l2bmb $lc0 $lb0")
    notebook = keep_marked(executed(place, shown(picture)), "x")
    (output,) = notebook.cells[-1].outputs
    assert output.data == {SVG: picture.text, "text/plain": repr(picture)} and output.output_type == "display_data"
    assert notebook.cells[-1].execution_count == 1, "nbval refuses outputs of a cell that did not run"
    place.notebook.write_bytes(written(notebook))
    assert problems(place) == []


def test_a_picture_that_has_changed_is_found(place: Place) -> None:
    good = keep_marked(executed(place, shown(draw.move("l2bmb $lc0 $lb0"))), "x")
    for change, message in (
        (lambda cell: cell.outputs[0].data.update({SVG: draw.move("l2bmd $lc0 $lb0").text}), "looks different now"),
        (lambda cell: cell.outputs[0].data.update({"text/html": "<b>"}), "and nothing else"),
        (lambda cell: cell.outputs.clear(), "and nothing else"),
        (lambda cell: cell.update(execution_count=None), "and nothing else"),
    ):
        notebook = copy.deepcopy(good)
        change(notebook.cells[-1])
        place.notebook.write_bytes(written(notebook))
        assert message in problems(place)[0]


@pytest.mark.parametrize(
    ("svg", "message"),
    [
        (None, "shows none"),
        ("<svg><script>1</script></svg>", "with a script"),
        ("<svg onload='x()'></svg>", "with a script"),
        ("<svg>" + " " * LARGEST + "</svg>", "bytes"),
    ],
)
def test_what_is_no_small_plain_picture_is_refused(place: Place, svg: str | None, message: str) -> None:
    output = nbformat.v4.new_output("display_data", data={"text/plain": "x"} | ({SVG: svg} if svg else {}))
    with pytest.raises(NotebookError, match=message):
        keep_marked(executed(place, output), "x")


def test_the_course_keeps_pictures_and_they_are_few() -> None:
    sizes = {
        place.name: [
            len(output.data[SVG])
            for cell in load(place).cells
            for output in cell.get("outputs", ())
            if SVG in output.get("data", {})
        ]
        for place in places()
        if place.language == "en"  # a translation has the same pictures, which git stores once more
    }
    assert sum(map(bool, sizes.values())) >= 14
    assert sum(map(sum, sizes.values())) < 1_000_000, "the repository should stay small"


@pytest.mark.parametrize("name", ["00_start/01_welcome.ipynb", "04_memory/02_first_moves.ipynb"])
def test_a_notebook_that_was_only_opened_is_saved_as_it_was(name: str) -> None:
    """What JupyterLab adds on opening (seen in its own files) is taken out by what our settings call before saving."""
    before = (FOLDER / name).read_bytes()
    notebook = nbformat.reads(before.decode(), as_version=4)
    notebook.metadata.kernelspec.display_name = "Python 3 (ipykernel)"
    notebook.metadata.language_info = {"name": "python", "version": "3.99", "codemirror_mode": {"name": "ipython"}}
    hook = runpy.run_path(str(QUIET / "jupyter_server_config.py"))["forget_the_kernel"]
    hook(model={"type": "notebook", "content": notebook}, path=name, contents_manager=None)
    assert (nbformat.writes(notebook) + "\n").encode() == before
    other = {"metadata": {"language_info": {"version": "3.99"}}}
    hook(model={"type": "notebook", "content": other})
    assert other == {"metadata": {"language_info": {"version": "3.99"}}}, "other people's notebooks are theirs"


def test_only_text_and_images_are_shown_before_a_notebook_is_run(place: Place) -> None:
    trusts = runpy.run_path(str(QUIET / "jupyter_server_config.py"))["only_images"]
    assert all(trusts(load(found)) for found in places())
    notebook = keep_marked(executed(place, shown(draw.chip())), "x")
    assert trusts(notebook)
    notebook.cells[-1].outputs[0].data["text/html"] = "<script>1</script>"
    assert not trusts(notebook)
    notebook = keep_marked(executed(place, shown(draw.chip())), "x")
    del notebook.metadata["haribote"]
    assert not trusts(notebook)
