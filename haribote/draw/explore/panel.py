"""A picture below some sliders and lists; Python draws it anew whenever one of them moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.errors import SimulatorError
from simulator.language import language
from simulator.messages import shown, tr
from simulator.notebook.card import Card
from simulator.page_texts import script_texts
from simulator.pictures import Picture

SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Slider:
    """A whole number from `low` to `high` in steps."""

    label: str
    low: int
    high: int
    value: int
    step: int = 1


@dataclass(frozen=True)
class Choice:
    """One of some texts."""

    label: str
    options: Sequence[str]
    value: str


Controls = Mapping[str, Slider | Choice]
Values = dict[str, Any]


@dataclass(frozen=True)
class PanelContent:
    """What a panel shows: HTML, and the picture in it, which is stored where there is no kernel."""

    html: str
    picture: Picture

    @classmethod
    def of(cls, picture: Picture, below: str = "") -> PanelContent:
        """A picture, and HTML below it."""
        return cls(picture._repr_html_() + below, picture)


class Panel:
    """The last expression of a notebook's cell shows it. controls: by name; they may depend on the values of others.

    draw: from the values of all controls to what is shown. A HariboteError that it raises is shown in its place.
    """

    def __init__(self, controls: Callable[[Values], Controls], draw: Callable[[Values], PanelContent]) -> None:
        self._controls, self._draw = controls, draw
        self.values: Values = {}
        self.view: PanelContent | None = None
        self._widget: Any = None
        self.set({})

    def set(self, values: Values) -> str:
        """Move some controls; returns what is shown then. Values that a control does not take are left as they were."""
        controls = self._controls({**self.values, **values})
        self.values = {
            name: _fitting(control, values.get(name, self.values.get(name))) for name, control in controls.items()
        }
        try:
            self.view = self._draw(self.values)
        except SimulatorError as error:
            return Card("bad", tr("this cannot be drawn"), str(error))._repr_html_()
        return self.view.html

    def specification(self) -> list[dict[str, Any]]:
        """The controls as plain values, for the front end: values as they are, and texts as they are shown."""
        return [
            {"name": name, "kind": type(control).__name__, "now": self.values[name], **vars(control), **_texts(control)}
            for name, control in self._controls(self.values).items()
        ]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget, and for front ends without widgets or without a kernel the picture."""
        shown = self.widget()._repr_mimebundle_(**options)
        bundle: dict[str, Any] = dict(shown[0] if isinstance(shown, tuple) else shown or {})
        if self.view is None:
            return bundle
        still = {"image/svg+xml": self.view.picture._repr_svg_(), "text/plain": repr(self.view.picture)}
        return bundle | {"text/html": self.view.html} | still

    def widget(self) -> Any:
        """The widget itself, made when it is first asked for, for anywidget takes a while to be loaded."""
        if self._widget is None:
            html = self.set({})
            self._widget = widget_of("panel.js", controls=self.specification(), values=self.values, html=html)
            self._widget.observe(self._moved, names="values")
        return self._widget

    def _moved(self, change: Mapping[str, Any]) -> None:
        html = self.set(dict(change["new"]))
        with self._widget.hold_sync():
            self._widget.controls, self._widget.html = self.specification(), html
            self._widget.answer += 1


def _texts(control: Slider | Choice) -> dict[str, Any]:
    """What is read of a control, in the language of the moment."""
    label = {"label": shown(control.label)}
    return label | {"texts": list(map(shown, control.options))} if isinstance(control, Choice) else label


def _fitting(control: Slider | Choice, value: Any) -> Any:
    """The value if the control takes it, else its own."""
    if isinstance(control, Choice):
        return value if value in control.options else control.value
    return min(max(value, control.low), control.high) if type(value) is int else control.value


def widget_of(script: str, **values: Any) -> Any:
    """A widget with these values as its traits, its script's texts, and a counter of answers.

    script: a file beside this one; `ownKeys` of keys.js is there for it.
    """
    import anywidget
    import traitlets

    kinds = {str: traitlets.Unicode, list: traitlets.List, dict: traitlets.Dict, int: traitlets.Int}
    code = "".join((SCRIPTS / name).read_text(encoding="utf-8") for name in ("keys.js", script))
    values |= {"language": language(), "texts": script_texts(code), "answer": 0}
    traits = {name: kinds[type(value)]().tag(sync=True) for name, value in values.items()}
    made = type(script.removesuffix(".js").title(), (anywidget.AnyWidget,), {"_esm": code, **traits})
    return made(**values)
