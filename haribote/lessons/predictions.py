"""What a learner expected, kept beside what came out: theirs alone, never graded.

`predict("04_memory/03_time", 2)` below the second question of a notebook shows a field to write in. What is written is
kept in `runs/predictions.json`, the answer appears, and the learner says whether it came out as expected.
`predictions("04_memory")` sums a stage up. Question and answer are read from the notebook that asks.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets

from haribote.answers.tasks import ROOT
from haribote.errors import HariboteError
from simulator.files import locked, write_file
from simulator.language import language
from simulator.messages import shown, tr
from simulator.notebook.card import card

FILE = ROOT / "runs" / "predictions.json"
NOTEBOOKS = ROOT / "notebooks"
ASKED = re.compile(r'^predict\("([\w/]+)",\s(\d+)\)', re.M)
ANSWER = re.compile(r"<details[^>]*>\s*<summary>.*?</summary>(.*?)</details>", re.DOTALL)
TAGS = re.compile(r"<[^>]*>|\*\*|`|\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Question:
    """A question of a notebook, such as "04_memory/03_time", by its number; answer: "" where the next cell shows it."""

    notebook: str
    number: int
    text: str
    answer: str

    @property
    def key(self) -> str:
        """What it is kept under."""
        return f"{self.notebook} {self.number}"


def questions(notebook: str) -> tuple[Question, ...]:
    """The questions of a notebook, in the language of the moment. Raises HariboteError where there is no such one."""
    for path in (NOTEBOOKS / f"{notebook}.{language()}.ipynb", NOTEBOOKS / f"{notebook}.ipynb"):
        if path.is_file():
            return _questions(path, path.stat().st_mtime_ns)
    raise HariboteError(
        tr("there is no notebook {notebook!r}", notebook), tr("its folder and its name, as in 02_autograd/02_gemm")
    )


@cache
def _questions(path: Path, _: int) -> tuple[Question, ...]:
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(path.read_bytes())["cells"]]
    places = [(at, found) for at, (_, source) in enumerate(cells) if (found := ASKED.search(source))]
    ends = [*(at for at, _ in places[1:]), len(cells)]
    result = []
    for (at, found), end in zip(places, ends, strict=True):
        before = next((source for kind, source in reversed(cells[:at]) if kind == "markdown"), "")
        behind = "\n".join(source for kind, source in cells[at:end] if kind == "markdown")
        answer = ANSWER.search(behind)
        text = before.split("**Predict")[-1].split("**予想")[-1].lstrip(".*。 ")
        result.append(Question(found[1], int(found[2]), _plain(text), _plain(answer[1]) if answer else ""))
    return tuple(result)


def _plain(text: str) -> str:
    """Markdown as a line of text."""
    return html.unescape(" ".join(TAGS.sub(lambda found: found[1] or "", text).split()))


def _kept() -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: entry for key, entry in found.items() if isinstance(entry, dict)} if isinstance(found, dict) else {}


def keep(question: Question, **what: str | bool) -> None:
    """Keep what was said of a question, or whether it came out so. Raises FileError."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with locked(FILE):
        found = _kept()
        found[question.key] = {**found.get(question.key, {}), **what}
        write_file(FILE, json.dumps(found, ensure_ascii=False, indent=1) + "\n")


class Prediction:
    """A field for what one expects; then the answer, and two buttons for whether it came out so."""

    def __init__(self, question: Question) -> None:
        self.question = question
        entry = _kept().get(question.key, {})
        self.field = ipywidgets.Text(
            value=str(entry.get("said", "")),
            placeholder=tr("what do you expect? then Enter"),
            continuous_update=False,
            layout=ipywidgets.Layout(width="30em"),
        )
        self.buttons = [
            ipywidgets.Button(description=shown(text)) for text in (tr("as I expected"), tr("not as I expected"))
        ]
        self._answer = ipywidgets.HTML()
        self._marks = ipywidgets.HBox([])
        self.field.observe(lambda change: self.say(change["new"]), names="value")
        for button, right in zip(self.buttons, (True, False), strict=True):
            button.on_click(lambda _, right=right: self.mark(right))
        self.box = ipywidgets.VBox([self.field, self._answer, self._marks])
        if self.field.value:
            self._show()

    def say(self, expected: str) -> None:
        """Keep what one expects, and show what comes out."""
        if expected.strip():
            keep(self.question, said=expected.strip())
            self._show()

    def mark(self, right: bool) -> None:
        """Keep whether it came out as expected."""
        keep(self.question, right=right)
        self._show()

    def _show(self) -> None:
        answer = self.question.answer or tr("the cells below show it")
        self._answer.value = card("quiet", tr("What comes out: {answer}", answer), "")
        right = _kept().get(self.question.key, {}).get("right")
        for button, means in zip(self.buttons, (True, False), strict=True):
            button.button_style = "info" if right is means else ""
        self._marks.children = self.buttons

    def __repr__(self) -> str:
        said = self.field.value
        return tr("you expect: {said}", said) if said else tr("a field to write in what you expect")

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        given = self.box._repr_mimebundle_(**options)
        return dict(given[0] if isinstance(given, tuple) else given or {}) | {"text/plain": repr(self)}


def predict(notebook: str, number: int, expected: str = "") -> Prediction:
    """A field below a question. expected: what one expects, where there is no field.

    Raises HariboteError where the notebook has no such question.
    """
    for question in questions(notebook):
        if (question.notebook, question.number) == (notebook, number):
            found = Prediction(question)
            found.say(expected)
            return found
    raise HariboteError(tr("{notebook} has no question {number}", notebook, number), f"1 to {len(questions(notebook))}")


@dataclass(frozen=True)
class Predictions:
    """All questions of a stage, each with what was said and whether it came out so (None: not marked)."""

    entries: tuple[tuple[Question, str, bool | None], ...]

    @property
    def head(self) -> str:
        """One line: how many of them were predicted, and how many came out so."""
        said = sum(bool(said) for _, said, _ in self.entries)
        right = sum(right is True for _, said, right in self.entries if said)
        return tr("you predicted {said} of {entries}; {right} came out as you expected", said, len(self.entries), right)

    def __repr__(self) -> str:
        return "\n".join([self.head, *self._lines()])

    def _lines(self) -> Iterator[str]:
        for question, said, right in self.entries:
            if said:
                mark = {True: "✓", False: "✗", None: "·"}[right]
                yield f"  {mark} {question.text}\n      {tr('you expect: {said}', said)}"
                yield f"      {tr('What comes out: {answer}', question.answer)}" if question.answer else ""

    def _repr_html_(self) -> str:
        return card("quiet", self.head, f"<pre>{html.escape(chr(10).join(filter(None, self._lines())))}</pre>")


def predictions(stage: str) -> Predictions:
    """What was predicted in a stage, such as "04_memory". Raises HariboteError where there is no such stage."""
    found, kept = [], _kept()
    for path in sorted((NOTEBOOKS / stage).glob("*.ipynb")):
        if path.name.count(".") == 1:
            with suppress(HariboteError):
                found += [*questions(f"{stage}/{path.stem}")]
    if not found:
        raise HariboteError(
            tr("there are no questions in {stage!r}", stage), tr("a folder of notebooks, such as 04_memory")
        )
    entries = [(question, kept.get(question.key, {})) for question in found]
    return Predictions(tuple((question, str(entry.get("said", "")), entry.get("right")) for question, entry in entries))
