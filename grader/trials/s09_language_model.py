"""Stage 09: trials of attention and of the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.emitter.values import Value, Values
from grader.trials import Array, Objection, Trial, Trials, Wrong, array_in, compare
from simulator.messages import Text, tr

NEAR = 1e-4  # products and sums in another order
HIDDEN = np.float32(-1e30)
SHOWN = ("queries", "keys", "values", "added")
OF = {"queries.grad": Text("the gradient of the queries"), "keys.grad": Text("the gradient of the keys"),
      "values.grad": Text("the gradient of the values")}  # fmt: skip


# --- 9.1 --------------------------------------------------------------------------------------------------------------


def attention(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 9.1: all sizes different, a window, hidden keys, scores as large as 1000, one query beside a cache."""
    yield _attention(tr("one head, nothing hidden"), rng, (1, 1, 3, 3, 4), np.zeros((3, 3), np.float32))
    later = np.triu(np.full((5, 5), HIDDEN), 1)
    yield _attention(tr("later tokens hidden"), rng, (2, 3, 5, 5, 4), later)
    slopes = np.array([0.5, 0.1], np.float32)[:, None, None] * np.arange(-5, 1, dtype=np.float32)
    yield _attention(tr("one query, a rate for each head"), rng, (1, 2, 1, 6, 9), slopes)
    beginning = slopes.copy()
    beginning[:, :, :3] = HIDDEN
    yield _attention(tr("one query, places before the beginning"), rng, (1, 2, 1, 6, 9), beginning)
    yield _attention(tr("scores as large as 1000"), rng, (1, 2, 4, 4, 3), np.triu(np.full((4, 4), HIDDEN), 1), 25.0)


def _attention(name: str, rng: np.random.Generator, sizes: Sequence[int], added: Array, scale: float = 1.0) -> Trial:
    """sizes: batch, heads, queries, keys, size of a head."""
    batch, heads, queries, keys, size = sizes
    shapes = {"queries": (queries, size), "keys": (keys, size), "values": (keys, size), "weights": (queries, size)}
    arrays = {key: rng.standard_normal((batch, heads, *shape)).astype(np.float32) for key, shape in shapes.items()}
    for key in ("queries", "keys"):
        arrays[key] *= np.float32(scale)
    given: dict[str, Value] = {**arrays, "added": added.astype(np.float32)}
    return Trial(name, given, lambda answer: _judge_attention(name, {**arrays, "added": added}, answer))


def _judge_attention(name: str, given: Mapping[str, Array], answer: Values) -> Objection:
    shown = {key: given[key] for key in SHOWN}
    wanted = _weighted(given)
    failure = compare(name, shown, wanted.pop("result"), array_in(answer, "result"), NEAR)
    if failure:
        return failure
    for what, expected in wanted.items():
        if what not in answer:
            why = tr("no gradient reaches it, and it would learn nothing")
            return tr("the result does not depend on {what}: {why}", what.split(".")[0], why)
        failure = compare(name, shown, expected, array_in(answer, what), 10 * NEAR, what=OF[what].said())
        if failure:
            return failure
    return _changed(given, answer, SHOWN)


def _changed(given: Mapping[str, Array], answer: Values, keys: Sequence[str]) -> Objection:
    for key in keys:
        if not np.array_equal(array_in(answer, key), given[key].astype(np.float32)):
            return tr("`{key}` has been changed; it must stay as it is", key)
    return None


def _weighted(given: Mapping[str, Array]) -> dict[str, Array]:
    """Result and gradients, query by query, in double precision."""
    q, k, v, w = (given[key].astype(np.float64) for key in ("queries", "keys", "values", "weights"))
    batch, heads, queries, size = q.shape
    keys = k.shape[2]
    added = np.broadcast_to(given["added"].astype(np.float64), (heads, queries, keys))
    result, dq, dk, dv = np.zeros_like(q), np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for b, h, i in np.ndindex(batch, heads, queries):
        scores = np.array([(q[b, h, i] * k[b, h, j]).sum() / np.sqrt(size) + added[h, i, j] for j in range(keys)])
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        result[b, h, i] = weights @ v[b, h]
        to_weights = v[b, h] @ w[b, h, i]
        to_scores = weights * (to_weights - (weights * to_weights).sum())
        dv[b, h] += weights[:, None] * w[b, h, i]
        dq[b, h, i] = to_scores @ k[b, h] / np.sqrt(size)
        dk[b, h] += to_scores[:, None] * q[b, h, i] / np.sqrt(size)
    return {"result": result, "queries.grad": dq, "keys.grad": dk, "values.grad": dv}


# --- 9.2 --------------------------------------------------------------------------------------------------------------


def slid(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 9.2: one token, several, all places at once."""
    for name, shape, new in (
        (tr("one token"), (1, 2, 5, 3), 1), (tr("three tokens"), (2, 3, 7, 2), 3),
        (tr("as many tokens as there are places"), (1, 2, 4, 5), 4), (tr("one place"), (1, 1, 1, 3), 1),
    ):  # fmt: skip
        kept = rng.standard_normal(shape).astype(np.float32)
        fresh = rng.standard_normal((*shape[:2], new, shape[3])).astype(np.float32)
        yield _slid(name, {"kept": kept, "new": fresh})


def _slid(name: str, given: Mapping[str, Array]) -> Trial:
    def judge(answer: Values) -> Objection:
        kept, new = given["kept"], given["new"]
        expected = np.empty_like(kept)
        for place in range(kept.shape[2]):
            at = place + new.shape[2]  # where it was, counted on into the new ones
            after = at - kept.shape[2]
            expected[:, :, place] = kept[:, :, at] if after < 0 else new[:, :, after]
        failure = compare(name, given, expected, array_in(answer, "result"), 0.0)
        return failure or _changed(given, answer, ("kept", "new"))

    return Trial(name, dict(given), judge, earns=given["new"].shape[2] < given["kept"].shape[2])


TRIALS: dict[str, Trials] = {"9.1": attention, "9.2": slid}
WRONG: dict[str, Wrong] = {
    "9.1": (
        ("size**-0.5", "size**-1.0"),
        (" + added", ""),
        (" - scores.amax(-1, keepdim=True).detach()", ""),
        ("powers.sum(-1, keepdim=True)", "powers.sum(-2, keepdim=True)"),
        ("powers.sum(-1, keepdim=True)", "powers.sum(-1, keepdim=True).detach()"),
    ),
    "9.2": (
        ("new], 2)", "new], 2).double()"),
        ("[kept[:, :, count:], new]", "[new, kept[:, :, count:]]"),
        ("kept[:, :, count:]", "kept[:, :, : kept.shape[2] - count]"),
        ("kept[:, :, count:]", "kept[:, :, 1:]"),
    ),
}
