"""A wide table keeps its lines."""

from haribote.speed.wide import Wide


def test_lines_are_kept_and_marks_are_escaped() -> None:
    shown = Wide("a  ->  <b>\nc")
    assert str(shown) == "a  ->  <b>\nc"
    assert "a  -&gt;  &lt;b&gt;\nc</pre>" in shown._repr_html_() and "white-space:pre;" in shown._repr_html_()
