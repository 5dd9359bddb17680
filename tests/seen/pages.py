"""What people look at, as HTML: what commands write, what notebooks keep, and what cells show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import onnx

from docs.images.cut import classifier
from grader.contracts import contract
from grader.feedback.failure import Failure
from grader.grade.page import as_page as report_page
from grader.grade.report import report_of
from grader.puzzling import puzzle
from grader.result import Result
from haribote import draw
from haribote.compiler import compile_for_sim
from haribote.draw import explore
from haribote.lessons.coverage import on_chip
from haribote.lessons.layout_game import LayoutGame
from haribote.lessons.predictions import predictions
from haribote.network import NETWORKS
from haribote.partition.cut import cut
from haribote.partition.picture import cut_picture
from haribote.share.page import page as share_page
from haribote.stack.program.compiled import built
from haribote.stack.program.plan_picture import plan_picture
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from haribote.training.step import training_step
from notebooks.form import SVG, places
from simulator import assemble
from simulator.effects.places import parse_place
from simulator.language import language
from simulator.pictures.canvas import Picture, inline
from simulator.view import Opening, View
from tests.grader.grade.runs import graded, learner, say_passed, threads
from tests.haribote.share.stories import TRAINED, story
from tests.simulator.view.test_view_browser import PROGRAM

CELL = (
    "<!doctype html><html lang={language}><title>cell</title><style>:root {{ color-scheme: light dark }}</style>"
    "<body style='margin: 16px; font: 14px sans-serif; background: Canvas'><main><h1>cell</h1>{body}</main>"
)
WIDGET = """<div id="host"></div><script type="module">
{code}
const values = {values};
const model = {{ get: (name) => values[name], set() {{}}, save_changes() {{}}, on() {{}} }};
widget.render({{ model, el: document.getElementById("host") }});
</script>"""
MOVES = ("l1bmd $lb0 $lm0v", "l2bmb $lc0 $lb0", "l1bmm $llb0 $llm0v", "fvfma $lm0v $lr0v $ls0v $ln8v")


@cache
def step(network: str) -> onnx.ModelProto:
    """The training step of a network of the course."""
    model = mlp(NETWORKS[network].pixels, 16, 10)
    return training_step(model, *example_batch(model, 256, 0.1))


def cell(*shown: Any) -> str:
    """What a notebook's cell shows, in a page of its own."""
    body = "<hr>".join(one if isinstance(one, str) else one._repr_html_() for one in shown)
    return CELL.format(language=language(), body=body)


def widget(panel: Any) -> str:
    """An explorer, with the front end's code but without a kernel behind it."""
    made = panel.widget()
    values = {name: getattr(made, name) for name in made.trait_names(sync=True) if not name.startswith("_")}
    code = made._esm.replace("export default", "const widget =")
    return cell(WIDGET.format(code=code, values=json.dumps(values, default=str)))


def stored() -> Iterator[tuple[str, str]]:
    """The pictures that notebooks keep, by notebook."""
    for place in places():
        if place.language == language():
            notebook = nbformat.reads(place.notebook.read_text(encoding="utf-8"), as_version=4)
            outputs = [output for one in notebook.cells for output in one.get("outputs", ())]
            found = [output.data[SVG] for output in outputs if SVG in output.get("data", {})]
            if found:
                yield place.name, cell(*map(inline, found))


def report(folder: Path) -> str:
    """What an instructor reads: one right answer and one wrong."""
    class_ = [learner("ada", t5_12="yield 'frelu $lm0v $lm0v $ln0v'"), learner("bob", t5_12="right")]
    wrong = {"state": "failed", "points": 0, "cause": "wrong rows", "failure": "haribote/kernels/t5_12_relu.py:7: no"}

    def grade(work: Any) -> dict[str, Any]:
        return say_passed(work) | (wrong if work.submission.startswith("ada") else {"medal": "gold"})

    return report_page(report_of(class_, graded(folder, class_, threads(), grade), 1))


def failed() -> Result:
    """A wrong answer, with the picture of what is wrong."""
    error = np.zeros((16, 64)) + (np.arange(64) % 3 == 1)
    failure = Failure(
        "16x64", "wrong columns", "y[0, 1] is 461.53 where 1 is right", "haribote/kernels/t5_12_relu.py:12", error=error
    )
    file = "haribote/kernels/t5_12_relu.py"
    return Result("5.12", "Relu", "failed", 0, 3, file, "1 of 3 cases passed", failure=failure)


def debugged() -> str:
    (place,) = parse_place("$n1n0c0b0m2p0")
    opening = Opening("wrong rows", ("headline", "written by line 3"), place, "y[0, 1]", 0x3F800000, 0x43E6C407, 3)
    return View(assemble(PROGRAM, "sample.vsm"), opening=opening).page


def made(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Everything but what notebooks keep, in the language of the moment. folder: for what some of them write."""
    small = step("small")

    def program() -> Any:
        return assemble(compile_for_sim(small, True, level=1).text)

    def picture(make: Callable[[], Picture]) -> Callable[[], str]:
        return lambda: cell(make())

    def explorer(make: Callable[[], Any]) -> Callable[[], str]:
        return lambda: widget(make())

    return {
        "viewer": lambda: View(assemble(PROGRAM, "sample.vsm")).page,
        "viewer, step": lambda: View(program(), until=400).page,
        "viewer, debugger": debugged,
        "share": lambda: share_page(story(name="Aki"), viewed=True),
        "share, trained": lambda: share_page(story(name="Aki", trained=TRAINED), viewed=False),
        "report": lambda: report(folder),
        "plan": picture(lambda: plan_picture(built(step("large"), "float"), "step")),
        "plan, small": picture(lambda: plan_picture(built(small, "float"), "step")),
        "cut": picture(lambda: cut_picture(cut(classifier(), by_cost=False))),
        "graph": picture(lambda: draw.svg(small)),
        "graph, placed": picture(lambda: draw.svg(compile_for_sim(small, True), "placed")),
        "graph, compact": picture(lambda: draw.svg(step("large"), compact=True)),
        "diff": picture(lambda: draw.diff(small, compile_for_sim(small, True).model)),
        "timeline": picture(lambda: draw.timeline(program())),
        "traffic": picture(lambda: draw.traffic(program())),
        "chip": picture(draw.chip),
        "layouts": lambda: cell(*(draw.layout(tag) for tag in ("256x16.A", "256x16.B", "256x16.P", "256x1024"))),
        "moves": lambda: cell(*map(draw.move, MOVES)),
        "animation": lambda: cell(*map(draw.animate, MOVES)),
        "explore.layout": explorer(lambda: explore.layout("256x16.A")),
        "explore.move": explorer(explore.move),
        "explore.nops": explorer(explore.nops),
        "explore.pad": explorer(lambda: explore.pad(lambda image: np.arange(10.0))),
        "layout game": lambda: cell(LayoutGame().choose()),
        "verdict": lambda: cell(failed(), Result("5.12", "Relu", "passed", 3, 3, "", "3 of 3 cases passed")),
        "puzzle": lambda: cell(puzzle("4.8"), puzzle("4.15")),
        "contract": lambda: cell(contract("5.12"), contract("5.3")),
        "coverage": lambda: cell(on_chip()),
        "predictions": lambda: cell(predictions("04_memory")),
    }
