"""Scratch words of a kernel run."""

from __future__ import annotations

import pytest

from grader.rigs.kernel_run import free_words


def test_scratch_that_op_scratch_cannot_give_is_refused() -> None:
    from grader.rigs.kernel_cases import kernel_cases
    from haribote.kernel_table import BY_NAME

    case = kernel_cases(BY_NAME["relu"], 3)[0]
    assert len(free_words(case, (("LM0", 16, 4),))) == 3
    for scratch in (("LM0", 12, 8), ("LM0", 4090, 8), ("DRAM", 0, 64), ("LM0", 16, -4)):
        with pytest.raises(Exception, match="are not free"):
            free_words(case, (scratch,))
