"""What the judges of the generators' cases share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.feedback.failure import Failure
from simulator.messages import tr

Array = NDArray[Any]
TREE = (8, 8, 16, 4)
"""Units of each level in one of the level above."""


def failed(name: str, what: str, **inputs: Any) -> Failure | None:
    """A failure that says what is wrong; None where that is "". inputs: what the learner is shown."""
    return Failure(name, "", what, inputs={key: np.asarray(value) for key, value in inputs.items()}) if what else None


def listed(value: Any) -> list[Any]:
    """A value that must be a list. Raises TypeError."""
    if not isinstance(value, list):
        raise TypeError(tr("a list was to be given"))
    return value
