"""draw.loss and live_loss: what is drawn against the numbers that were given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote import draw
from haribote.draw import curves
from haribote.draw.curves import HEIGHT, LEFT, RIGHT, TOP
from haribote.errors import HariboteError
from simulator.pictures import Picture
from tests.haribote.picture_checks import SVG, check_picture, texts, tree


def points(picture: Picture, name: str) -> list[NDArray[np.float64]]:
    """The pieces of a curve, [point, (x, y)] in pixels."""
    (path,) = [path for path in tree(picture).iter(f"{SVG}path") if path.findtext(f"{SVG}title") == name]
    pieces = [piece for piece in path.get("d", "").split("M") if piece]
    return [np.array([list(map(float, point.split())) for point in piece.split("L")]) for piece in pieces]


def test_a_curve_goes_through_its_values() -> None:
    values = np.array([2.3, 1.0, 0.5, 0.25, 4.0])
    picture = check_picture(lambda: draw.loss({"chip": values}))
    ((x, y),) = [piece.T for piece in points(picture, "chip")]
    np.testing.assert_allclose(x, np.linspace(LEFT, RIGHT, 5), atol=0.06)
    shown = (TOP + HEIGHT - y) / HEIGHT * 4.0 * 1.05
    np.testing.assert_allclose(shown, values, atol=0.002 * 4.2)
    assert "last: 4" in texts(picture)


def test_labels_of_the_axis_are_round_and_where_their_values_are() -> None:
    for values in ([2.3, 0.1], [1e-4, 3e-4], [-0.7, 2.0], [-3.0, -2.0], [5.0], []):
        root = tree(check_picture(lambda values=values: draw.loss({"a": values})))  # type: ignore[misc]
        labels = [t for t in root.iter(f"{SVG}text") if t.get("text-anchor") == "end" and t.get("x") == "58"]
        at = np.array([[float(t.text or ""), float(t.get("y", 0))] for t in labels])
        assert len(at) >= 2
        steps = np.diff(at, axis=0)
        assert np.ptp(steps[:, 0]) < 1e-6 * np.abs(steps).max() + 1e-9 and np.ptp(steps[:, 1]) < 0.1
        assert 0 in at[:, 0] or max(values) < 0


def test_gaps_and_single_points() -> None:
    picture = draw.loss({"a": [1.0, np.nan, 2.0, 3.0, np.inf, 1.0]})
    assert [len(piece) for piece in points(picture, "a")] == [1, 2, 1]
    check_picture(lambda: draw.loss({"a": [], "b": [1.0]}))
    check_picture(lambda: draw.loss({}))
    check_picture(lambda: draw.loss([np.nan, np.nan]))


def test_two_curves_say_how_far_they_are_apart() -> None:
    one = np.linspace(2, 1, 50)
    assert "equal in every step" in texts(draw.loss({"a": one, "b": one.copy()}))
    assert "largest difference 0.25" in texts(draw.loss({"a": one, "b": one + np.eye(50)[7] / 4}))
    both = tree(draw.loss({"a": one, "b": one}))
    dashes = [p.get("stroke-dasharray") for p in both.iter(f"{SVG}path") if p.findtext(f"{SVG}title") in ("a", "b")]
    assert dashes == [None, "7 5"]


def test_long_runs_stay_small_and_keep_their_extremes() -> None:
    values = np.random.default_rng(0).random(100_000)
    values[70_001], values[3] = 9.0, -1.0
    picture = check_picture(lambda: draw.loss({"a": values, "b": values * 0.5}))
    (curve,) = points(picture, "a")
    assert len(curve) <= 700 and curve[:, 1].min() < TOP + HEIGHT * 0.06 and curve[:, 1].max() > TOP + HEIGHT * 0.99
    assert (np.diff(curve[:, 0]) >= 0).all()


def test_values_may_be_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    values = [torch.tensor(2.0, requires_grad=True), torch.tensor([1.0])]
    assert draw.loss({"a": values}).text == draw.loss({"a": [2.0, 1.0]}).text


@pytest.mark.parametrize("wrong", [{"a": ["x"]}, {"a": [None]}, {"a": [[1, 2]]}])
def test_values_that_are_no_numbers_are_refused(wrong: Any) -> None:
    with pytest.raises(HariboteError, match="'a'"):
        draw.loss(wrong)
    with pytest.raises(HariboteError, match="steps"):
        draw.loss({"a": [1.0, 2.0]}, steps={"a": [1.0]})


def test_a_live_curve_redraws_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, picture: Picture) -> None:
            shown.append(picture.text)

    def display(picture: Picture, display_id: bool) -> Handle:
        assert display_id and not shown
        shown.append(picture.text)
        return Handle()

    monkeypatch.setattr(curves, "_in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    now = iter(np.arange(0, 100, 0.1))
    monkeypatch.setattr("haribote.draw.curves.time.monotonic", lambda: next(now))
    with draw.live_loss("Training") as live:
        for step in range(40):
            live.add(step, 2.0 / (step + 1))
    assert 3 < len(shown) < 30  # not a picture per point
    assert (
        shown[-1] == live.picture.text == draw.loss({"loss": [2.0 / (n + 1) for n in range(40)]}, title="Training").text
    )


def test_without_a_notebook_a_live_curve_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    live = draw.live_loss()
    live.add(0, 2.0)
    live.add(1, 1.0, name="torch")
    live.show()
    assert capsys.readouterr().out == "" and "2 points" in repr(live)
    assert {"loss", "torch"} <= {*texts(live.picture)}
