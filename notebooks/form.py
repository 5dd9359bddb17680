"""A notebook's form: made from its Markdown source, what it keeps of an execution, and how it is written to disk."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from haribote.errors import HariboteError
from notebooks.comments import in_language
from notebooks.translation import read as translation
from notebooks.translation import translated
from simulator.cache import home_folder

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
SOURCE = FOLDER / "source"
MARK = "nbval-check-output"  # the tag of a cell whose output is kept and compared

KEEP = "keep-picture"  # the tag of a cell whose picture is stored, for readers without a kernel
SVG = "image/svg+xml"
LARGEST = 60_000  # bytes of a picture that is stored

HEADER = """---
jupyter:
  kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""

UNSTABLE = {  # what must not stand in a compared output
    "an address": re.compile(r"\bat 0x[0-9a-fA-F]{6,}"),
    "a path of this machine": re.compile(
        re.escape(str(ROOT)) + "|" + re.escape(str(home_folder() or ROOT)) + r"/(?=\w)"
    ),
}


class NotebookError(HariboteError):
    """A source or a notebook is not as it must be; the message names notebook and cell."""


FOLDED = '<details style="margin-bottom: 1em">'
"""How an answer that is folded begins: JupyterLab leaves no room below one."""


@dataclass(frozen=True)
class Place:
    """Where a notebook's source is, and the notebook made of it; language: "en" or "ja"."""

    source: Path
    notebook: Path
    language: str

    @property
    def original(self) -> Place:
        """Where the English edition is; of an English notebook, the place itself."""
        source = self.source.with_name(self.source.name.replace(".ja.md", ".md"))
        return Place(source, self.notebook.with_name(f"{source.stem}.ipynb"), "en")

    @property
    def name(self) -> str:
        """As commands print it and take it: 02_autograd/01_relu.ipynb."""
        return self.notebook.relative_to(self.notebook.parent.parent).as_posix()


def places(names: Sequence[str] = (), source: Path = SOURCE, target: Path = FOLDER) -> list[Place]:
    """All notebooks whose name contains one of `names` (without names, all), in the order of the course.

    Raises:
        NotebookError: no notebook has such a name.
    """
    found = []
    for path in sorted(source.glob("*/*.md"), key=lambda path: path.as_posix().replace(".md", "").replace(".ja", "~")):
        notebook = target / path.parent.name / f"{path.name.removesuffix('.md')}.ipynb"
        found.append(Place(path, notebook, "ja" if path.name.endswith(".ja.md") else "en"))
    for name in names:
        if not any(name in place.name for place in found):
            raise NotebookError(f"no notebook is called {name!r}", "one of " + ", ".join(place.name for place in found))
    return [place for place in found if not names or any(name in place.name for name in names)]


def bare(place: Place) -> NotebookNode:
    """The notebook of a source, without outputs: cells with stable ids and the metadata that is needed, no more.

    The code of a translated notebook is that of the English one, but for the comments in it.

    Raises:
        NotebookError: a fence became a shell cell, or a compared cell has a tag that excludes comparison.
        TranslationError: a translation has text that belongs to no paragraph.
    """
    read = _english(place)
    if place.language != "en":
        texts = [cell for cell in read if cell.cell_type == "markdown"]
        for cell, text in zip(
            texts, translated((cell.source for cell in texts), translation(place.source)), strict=True
        ):
            cell.source = text
        for cell in read:
            if cell.cell_type == "code":
                cell.source = in_language(cell.source, place.language)
    cells, seen = [], Counter[str]()
    for number, cell in enumerate(read, 1):
        if cell.cell_type == "code" and re.match(r"%%(sh|bash|script)\b", cell.source):
            raise NotebookError(
                f"{place.name}: cell {number} is a fence of shell commands, which would be run",
                "the fence ```console for text to read, or !command in a ```python fence",
            )
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:10]
        seen[digest] += 1
        identity = f"{digest}-{seen[digest]}"
        metadata = {"tags": sorted(cell.metadata["tags"])} if cell.metadata.get("tags") else {}
        if cell.cell_type == "code":
            cells.append(nbformat.v4.new_code_cell(cell.source, id=identity, metadata=metadata))
        else:
            text = cell.source.replace("<details>", FOLDED)
            cells.append(nbformat.v4.new_markdown_cell(text, id=identity, metadata=metadata))
    about: dict[str, Any] = {
        "haribote": {"language": place.language},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.v4.new_notebook(cells=cells, metadata=about)


def _english(place: Place) -> list[NotebookNode]:
    """The cells of the English source of a place."""
    source = place.original.source
    if not source.is_file():
        raise NotebookError(f"{place.name} translates {source.name}, which is not there", "a source in English first")
    cells: list[NotebookNode] = jupytext.reads(HEADER + source.read_text(encoding="utf-8"), fmt="md").cells
    return cells


def english_texts(place: Place) -> list[str]:
    """The text cells of the English source of a place."""
    return [cell.source for cell in _english(place) if cell.cell_type == "markdown"]


def is_marked(cell: NotebookNode) -> bool:
    """Whether a cell's output is compared."""
    return cell.cell_type == "code" and MARK in cell.metadata.get("tags", ())


def keeps_picture(cell: NotebookNode) -> bool:
    """Whether a cell's picture is stored."""
    return cell.cell_type == "code" and KEEP in cell.metadata.get("tags", ())


def keep_marked(executed: NotebookNode, where: str) -> NotebookNode:
    """The notebook with the outputs and execution counts of its marked cells only, and the pictures of those that keep
    them; changed in place.

    Raises:
        NotebookError: a marked cell gave something else than text on standard output, or text that differs each time.
    """
    executed.metadata.language_info = NotebookNode({"name": "python"})  # the kernel has added its version
    executed.metadata.pop("widgets", None)  # the state of menus and sliders, which differs each time
    for number, cell in enumerate(executed.cells, 1):
        if cell.cell_type != "code":
            continue
        cell.metadata = NotebookNode({"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {})
        if is_marked(cell):
            cell.outputs = [_printed(cell.outputs, f"{where}: cell {number}, which is compared,")]
        elif keeps_picture(cell):  # with its execution count: nbval refuses outputs of a cell that did not run
            cell.outputs = _pictures(cell.outputs, f"{where}: cell {number}")
        else:
            cell.outputs, cell.execution_count = [], None
    return executed


def _pictures(outputs: Sequence[NotebookNode], who: str) -> list[NotebookNode]:
    """The pictures among the outputs of a cell, as files keep them."""
    found = [output.data for output in outputs if SVG in output.get("data", {})]
    if not found:
        raise NotebookError(f"{who} is to keep its picture, but shows none", "take its tag away, or show a picture")
    return [stored(data[SVG], data["text/plain"], who) for data in found]


def stored(svg: str, title: str, who: str) -> NotebookNode:
    """A picture as the output of a cell that has not been run: no script, no HTML.

    Raises:
        NotebookError: it has a script or is too large. who: the cell, in messages.
    """
    if len(svg.encode()) > LARGEST:
        raise NotebookError(f"{who} is to keep a picture of {len(svg.encode()):,} bytes", f"at most {LARGEST:,}")
    if re.search(r"<script|<foreignObject|\son[a-z]+=|javascript:", svg):
        raise NotebookError(f"{who} is to keep a picture with a script", "CSS, or take its tag away")
    return nbformat.v4.new_output("display_data", data={SVG: svg, "text/plain": title})


def _printed(outputs: Sequence[NotebookNode], who: str) -> NotebookNode:
    """The one output of a compared cell: text on standard output."""
    text = ""
    for output in outputs:
        if output.output_type != "stream" or output.name != "stdout":
            what = output.get("name") or ", ".join(output.get("data", ())) or output.output_type
            shown = "" if output.output_type != "stream" else f": {output.text.strip()[:200]}"
            raise NotebookError(f"{who} gives {what}{shown}", "print(...) in it, and show pictures in another cell")
        text += output.text
    if not text.strip():
        raise NotebookError(f"{who} prints nothing", "print what is to be compared, or take its tag away")
    for what, pattern in UNSTABLE.items():
        if found := pattern.search(text):
            raise NotebookError(f"{who} prints {what}: {found[0]}", "print something that is the same everywhere")
    return nbformat.v4.new_output("stream", name="stdout", text=text)


def written(notebook: NotebookNode) -> bytes:
    """A notebook as the bytes of its file: the same for the same content."""
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook, version=4, indent=1, ensure_ascii=False, sort_keys=True)
    return (text.rstrip("\n") + "\n").encode()


def load(place: Place) -> NotebookNode:
    """The notebook as it is on disk. Raises NotebookError where there is none."""
    if not place.notebook.is_file():
        raise NotebookError(f"{place.name} has not been made", f"python -m notebooks.build {place.name}")
    return nbformat.read(place.notebook, as_version=4)


def code_of(notebook: NotebookNode) -> list[tuple[str, tuple[str, ...]]]:
    """Source and tags of the code cells."""
    return [(c.source, tuple(c.metadata.get("tags", ()))) for c in notebook.cells if c.cell_type == "code"]


def adopt_outputs(fresh: NotebookNode, old: NotebookNode, where: str) -> NotebookNode:
    """A bare notebook with the outputs that `old` has for the same code cells; changed in place.

    Raises:
        NotebookError: the code cells differ, so that outputs cannot be taken over.
    """
    if code_of(fresh) != code_of(old):
        raise NotebookError(
            f"{where}: source and notebook have different code cells", f"python -m notebooks.build {where}"
        )
    outputs: list[Any] = [cell for cell in old.cells if cell.cell_type == "code"]
    for cell, other in zip([c for c in fresh.cells if c.cell_type == "code"], outputs, strict=True):
        cell.outputs, cell.execution_count = other.outputs, other.execution_count
    return fresh
