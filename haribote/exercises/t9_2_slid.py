"""Task 9.2: a window that slides.

It is taught in notebooks/09_language_model/01_attention, section 3.
Check it with `grader check 9.2`; if you are stuck, `grader hint 9.2`.
"""

from __future__ import annotations

from torch import Tensor

from haribote.errors import NotWritten


def slid(kept: Tensor, new: Tensor) -> Tensor:
    """A cache once new tokens are in it, as a tensor of the shape of `kept`.

    kept: [batch, heads, places, size], the keys (or values) of the latest tokens, the newest at the last place. new:
    [batch, heads, n, size], those of the next n tokens, n from 1 to places, the newest last. The tokens move to places
    before their own, the oldest n drop out, and the new ones take the last n places. `kept` and `new` must stay as they
    are.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 9.2 (a window that slides) is not written yet; check it with `grader check 9.2`")
