"""torch.compile(model, backend="haribote"): graphs of TorchDynamo on the chip; the rest stays with PyTorch."""

from __future__ import annotations

from haribote.frontend.dynamo.entry import backend
from haribote.frontend.dynamo.explaining import Explanation, explain
from haribote.frontend.dynamo.piece import StaysWithPyTorch, Traffic, traffic

__all__ = ["Explanation", "StaysWithPyTorch", "Traffic", "backend", "explain", "traffic"]
