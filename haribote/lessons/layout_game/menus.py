"""The layout game with menus: a drop-down list for each value, and the bill below. Without a kernel, the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from haribote.lessons.layout_game.prices import LAYOUTS, OPERATORS
from simulator.messages import tr

if TYPE_CHECKING:
    from haribote.lessons.layout_game import LayoutGame


class Menus:
    """What a notebook shows. A front end without a kernel, which cannot play, shows the plan as it is."""

    def __init__(self, game: LayoutGame) -> None:
        self.game = game
        self._picture = ipywidgets.HTML()
        self._best = ipywidgets.HTML()
        self.menus = {
            value: ipywidgets.Dropdown(options=LAYOUTS, value=game.plan[value], description=value,
                                       layout=ipywidgets.Layout(width="150px"))
            for value in OPERATORS
        }  # fmt: skip
        for menu in self.menus.values():
            menu.observe(self._changed, names="value")
        row = ipywidgets.HBox(list(self.menus.values()), layout=ipywidgets.Layout(flex_flow="row wrap"))
        self.box = ipywidgets.VBox([row, self._best, self._picture])
        self._changed(None)

    def _changed(self, change: object) -> None:
        bill = self.game.choose(**{value: menu.value for value, menu in self.menus.items()})
        best = self.game.best_so_far or bill
        self._picture.value = bill._repr_html_()
        self._best.value = tr("The best plan so far takes {cycles:,.0f} cycles.", best.cycles)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        given = self.box._repr_mimebundle_(**options)
        bundle: dict[str, Any] = dict(given[0] if isinstance(given, tuple) else given or {})
        return bundle | {"text/html": self.game.choose()._repr_html_()}
