"""Stage 09: what the emitter does for its tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError, required
from grader.emitter.values import Value, Values
from simulator.messages import tr


def _tensor(given: Values, name: str, grad: bool = False) -> Any:
    import torch

    value = given[name]
    assert isinstance(value, np.ndarray)
    return torch.from_numpy(value.copy()).requires_grad_(grad)


def _required(found: Any) -> Any:
    import torch

    required(found, torch.Tensor, tr("must return a tensor"))
    if found.dtype != torch.float32:
        raise AnswerError(tr("the result must be {dtype}, received {dtype2}", "torch.float32", str(found.dtype)))
    return found


def attention(function: Function, given: Values) -> dict[str, Value]:
    """Given: queries, keys, values, added, weights. Answer: the result, the gradients of the sum of result times
    weights for the first three, where the result depends on them, and what is given, as it is afterwards.
    """
    names = ("queries", "keys", "values")
    tensors = {name: _tensor(given, name, grad=True) for name in names}
    added, weights = _tensor(given, "added"), _tensor(given, "weights")
    found = _required(function(*(tensors[name] for name in names), added))
    answer: dict[str, Value] = {"result": found.detach().numpy().copy()}
    if found.requires_grad and found.shape == weights.shape:
        (found * weights).sum().backward()
    for name, tensor in tensors.items():
        if tensor.grad is not None:
            answer[f"{name}.grad"] = tensor.grad.numpy()
        answer[name] = tensor.detach().numpy()
    return answer | {"added": added.numpy()}


def slid(function: Function, given: Values) -> dict[str, Value]:
    """Given: kept, new. Answer: the result, and both as they are afterwards."""
    kept, new = _tensor(given, "kept"), _tensor(given, "new")
    found = _required(function(kept, new)).detach().numpy().copy()
    return {"result": found, "kept": kept.numpy(), "new": new.numpy()}


FORMS: dict[str, Form] = {"9.1": attention, "9.2": slid}
