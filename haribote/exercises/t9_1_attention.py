"""Task 9.1: attention.

It is taught in notebooks/09_language_model/01_attention, section 2.
Check it with `grader check 9.1`; if you are stuck, `grader hint 9.1`.
"""

from __future__ import annotations

from torch import Tensor

from haribote.errors import NotWritten


def attention(queries: Tensor, keys: Tensor, values: Tensor, added: Tensor) -> Tensor:
    """For each query the mean of the values, weighted by how well their keys fit: [batch, heads, queries, size].

    queries: [batch, heads, queries, size]. keys, values: [batch, heads, keys, size]. added: [heads, queries, keys] or
    [queries, keys], what is added to the scores: -1e30 where a query may not look at a key.

        score of a query and a key  = the sum of query · key over the size, divided by sqrt(size), plus what is added
        weight of a key             = exp(score) / the sum of exp(score) over all keys of the query
        result of a query           = the sum of weight · value over all keys

    Scores may be as large as 1000, and exp(1000) is infinite: take the largest score of each query off first, which
    changes no weight. Gradients must reach queries, keys and values. Nothing that is given may be changed.
    """
    # TODO: about 5 lines.
    raise NotWritten("task 9.1 (attention) is not written yet; check it with `grader check 9.1`")
