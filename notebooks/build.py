"""Make the notebooks from their sources: `python -m notebooks.build [--check] [NAMES]`.

A source, notebooks/source/02_autograd/01_relu.md, is Markdown in jupytext's way: a ```python fence is a code cell, all
else is text (two blank lines begin a new cell). It is executed with the reference solutions; outputs and execution
counts stay only in fences tagged ```python tags=["nbval-check-output"], which print plain text and nothing else.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from nbformat import NotebookNode

from haribote import draw
from haribote.commands.command import run_command
from notebooks.form import (
    FOLDER,
    SVG,
    NotebookError,
    Place,
    adopt_outputs,
    bare,
    english_texts,
    is_marked,
    keep_marked,
    keeps_picture,
    load,
    places,
    stored,
    written,
)
from notebooks.run import execute, tracebacks
from notebooks.translation import read as translation
from notebooks.translation import to_do
from simulator.files import write_file
from simulator.language import VARIABLE, language, spoken
from simulator.messages import tr
from simulator.notebook.cells import TELLER, Translated


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 fine, 1 out of step (with --check), 2 a mistake in a source or a cell that fails."""
    return run_command(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m notebooks.build", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only notebooks whose name contains it: 02_autograd")
    parser.add_argument("--check", action="store_true", help="write nothing; say where source and notebook differ")
    parser.add_argument("--execute", action="store_true", help="with --check: execute, and compare the outputs too")
    parser.add_argument(
        "--keep-outputs", action="store_true", help="only text has changed: take the outputs that the notebook has"
    )
    parser.add_argument(
        "--stubs", action="store_true", help="write nothing; execute with the files as they are: no cell may fail"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="notebooks at a time (1)")
    parser.set_defaults(run=_run, command="")
    return parser


def _run(options: argparse.Namespace) -> int:
    chosen = places(options.names)
    if options.check:
        found = [line for place in chosen for line in problems(place, execution=options.execute)]
        found += [] if options.names else strays()
        print("\n".join(found) if found else f"{len(chosen)} notebooks are in step with their sources")
        return 1 if found else 0
    job = partial(_reported, work=try_stubs if options.stubs else partial(build, keep_outputs=options.keep_outputs))
    status = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(job, place) for place in chosen]:
            message, good = done.result()
            print(message, file=sys.stdout if good else sys.stderr, flush=True)
            status = status if good else 2
    return status


def _reported(place: Place, work: Callable[[Place], NotebookNode]) -> tuple[str, bool]:
    """Do the work on a notebook; what to print, and whether it went well."""
    start = time.monotonic()
    try:
        notebook = work(place)
    except NotebookError as error:
        return str(error), False
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    compared = sum(map(is_marked, code))
    seconds = time.monotonic() - start
    return f"{place.name}: {len(code)} code cells, {compared} compared, {seconds:.1f} s", True


def build(place: Place, *, keep_outputs: bool = False) -> NotebookNode:
    """Make and write one notebook. Raises NotebookError."""
    notebook = _made(place, keep_outputs)
    write_file(place.notebook, written(notebook))
    return notebook


def try_stubs(place: Place) -> NotebookNode:
    """Execute a notebook with the learner's files as they are. Raises NotebookError where a cell shows a traceback."""
    notebook = execute(bare(place), place.notebook.parent, place.name, solutions=False)
    if found := tracebacks(notebook):
        raise NotebookError(f"{place.name}: " + "\n".join(found), "`with skip_unwritten():` in the cell")
    return notebook


def _made(place: Place, keep_outputs: bool = False) -> NotebookNode:
    notebook = bare(place)
    if keep_outputs:
        return adopt_outputs(notebook, load(place), place.name)
    speaking = {VARIABLE: place.language}
    executed = execute(notebook, place.notebook.parent, place.name, solutions=True, environment=speaking)
    return keep_marked(executed, place.name)


def problems(place: Place, *, execution: bool = False) -> list[str]:
    """Where a source and its notebook differ, and marked cells without output or execution count; [] if all is well.

    Args:
        execution: execute the notebook with solutions; the outputs must be those that are kept.
    """
    try:
        fresh, old = bare(place), load(place)
        adopted = adopt_outputs(fresh, load(place), place.name)
    except NotebookError as error:
        return [str(error)]
    with spoken(place.language):
        found = unmarked_and_marked(old, place.name) + dead_links(old, place)
    if place.language != "en":
        found += to_do(english_texts(place), translation(place.source), place.name)
    if not found and written(adopted) != place.notebook.read_bytes():
        found.append(f"{place.name} differs from its source\n    try: python -m notebooks.build {place.name}")
    if not found and execution and written(_made(place)) != place.notebook.read_bytes():
        found.append(f"{place.name} prints something else now\n    try: python -m notebooks.build {place.name}")
    return found


def unmarked_and_marked(notebook: NotebookNode, name: str) -> list[str]:
    """Marked cells that would never be compared, and other cells that carry outputs."""
    found = []
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code":
            continue
        if keeps_picture(cell):
            found += stale_picture(cell, f"{name}: cell {number}")
        elif is_marked(cell):
            if not cell.outputs:
                found.append(f"{name}: cell {number} is to be compared, but has no output")
            if cell.execution_count is None:
                found.append(f"{name}: cell {number} is to be compared, but has no execution count")
        elif cell.outputs or cell.execution_count is not None:
            found.append(f"{name}: cell {number} is not compared, but has an output or an execution count")
    return found


def stale_picture(cell: NotebookNode, who: str) -> list[str]:
    """What is wrong with the picture that a cell keeps. One that is drawn from nothing but `draw` is drawn again; all
    others are compared where the notebook is executed.
    """
    if (
        cell.execution_count is None
        or not cell.outputs
        or any(set(x.data) != {SVG, "text/plain"} for x in cell.outputs)
    ):
        return [f"{who} is to keep its picture, and nothing else\n    try: python -m notebooks.build"]
    try:
        tree = ast.parse(cell.source, mode="eval")
    except SyntaxError:
        return []
    if {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} != {"draw"}:
        return []
    if language() != "en":
        Translated().visit(tree)
    picture = eval(compile(tree, who, "eval"), {"draw": draw, TELLER: tr})
    if [stored(picture._repr_svg_(), repr(picture), who)] != cell.outputs:
        return [f"{who} keeps a picture that looks different now\n    try: python -m notebooks.build"]
    return []


def dead_links(notebook: NotebookNode, place: Place) -> list[str]:
    """Links of the text that lead to no file."""
    found = []
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", cell.source):
                if not (place.notebook.parent / target).exists():
                    found.append(f"{place.name}: cell {number} links to {target}, which is not there")
    return found


def strays() -> list[str]:
    """Notebooks in the course's folders that no source makes."""
    made = {place.notebook for place in places()}
    found = sorted(path for path in FOLDER.glob("[0-9]*/*.ipynb") if path not in made)
    return [f"{path.relative_to(FOLDER).as_posix()} has no source in notebooks/source" for path in found]


if __name__ == "__main__":
    sys.exit(main())
