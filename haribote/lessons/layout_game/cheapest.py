"""The best plan of the layout game, by trying all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.answers.ownership import exercise


@exercise("4.7")
def cheapest(
    reads: Mapping[str, Sequence[str]],
    layouts: Sequence[str],
    fixed: Mapping[str, str],
    work: Mapping[tuple[str, str], float],
    move: Mapping[tuple[str, str, str], float],
) -> dict[str, str]:
    """The layout of every value in the cheapest plan. reads: what each value is made of; fixed: layouts that are given.

    work: cycles by value and layout; move: cycles by value, layout before and after. A value that several others read
    in the same layout moves there once.
    """
    raise NotImplementedError
