"""Task 9.1: attention (two products, and between them a softmax in which hidden keys weigh nothing)."""

from __future__ import annotations

from torch import Tensor


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
    ### BEGIN SOLUTION
    size = queries.shape[3]
    scores = queries @ keys.transpose(2, 3) * size**-0.5 + added
    powers = (scores - scores.amax(-1, keepdim=True).detach()).exp()
    result: Tensor = powers / powers.sum(-1, keepdim=True) @ values
    return result
    ### END SOLUTION
