"""The last case of a task about graphs: a training step that the product makes with the answer.

The answer stands where the product has its own function; the step that comes out must learn what the product's does,
and the compiler's passes must take it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import onnx

from grader.emitter.graphs import bytes_of
from grader.emitter.loading import REFUSED as REFUSED_KEY
from grader.emitter.values import Value, Values
from grader.feedback.causes import REFUSED
from grader.feedback.failure import Failure
from grader.trials import Array, Objection, Trial, compare
from grader.trials.fusion_graphs import feeds_of, mlp_forward, mlp_step
from grader.trials.graphs import model_in
from haribote.errors import HariboteError
from haribote.graph import evaluate
from haribote.passes import canonical, decompose, simplify
from simulator.messages import Text, tr

NAME = Text("in the product: two batches of a training step")
BATCHES = 2
NEAR = 1e-4  # two updates, with sums in another order


def trains(given: Values, rng: np.random.Generator, names: Mapping[str, str] | None = None) -> Trial:
    """The case. given: what the form needs to make the step. names: of the step's inputs, where they are others than
    those of `mlp_step`.
    """
    feeds, known = feeds_of(mlp_step(), rng), dict(names or {})

    def judge(answer: Values) -> Objection:
        if REFUSED_KEY in answer:
            text = tr("{message}\n    but the product's own training step asks for this", answer[REFUSED_KEY])
            return Failure(NAME, REFUSED, text)
        step = model_in(answer)
        failure = _learns(step, feeds, known)
        if failure is not None:
            return failure
        try:
            return _learns(decompose.run(canonical.for_kernels(simplify.run(step))), feeds, known)
        except HariboteError as error:
            return tr("the step is right, but the compiler refuses it: {error}", error)

    return Trial(NAME, given, judge, earns=False)


def _learns(step: onnx.ModelProto, feeds: Mapping[str, Array], names: Mapping[str, str]) -> Objection:
    """Whether the step makes of the same batches the same losses and parameters as the product's."""
    right, types = dict(feeds), {info.name: info.type.tensor_type.elem_type for info in step.graph.input}
    for _ in range(BATCHES):
        given = {names.get(name, name): value for name, value in right.items()}
        given = {name: value.astype(onnx.helper.tensor_dtype_to_np_dtype(types.get(name, 1)))
                 for name, value in given.items()}  # fmt: skip
        expected, received = evaluate(mlp_step(), right), evaluate(step, given)
        for output, value in expected.items():
            wanted = f"{names.get(output[:-5], output[:-5])}.next" if output.endswith(".next") else output
            if wanted not in received:
                return tr("the step must have an output {wanted!r}, it has {received}", wanted, ", ".join(received))
            failure = compare(NAME, given, value, received[wanted], NEAR, what=repr(wanted))
            if failure is not None:
                return failure
        right |= {name: expected[f"{name}.next"] for name in right if f"{name}.next" in expected}
    return None


@cache
def forward() -> Value:
    """The forward graph with its loss, as bytes, from which the step is made."""
    return bytes_of(mlp_forward())
