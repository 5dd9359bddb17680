"""Backward graphs on ONNX: one rule per operator, and the walk that applies them."""

from haribote.autodiff.reverse import differentiate, gradients, sgd, train_step, velocity

__all__ = ["differentiate", "gradients", "sgd", "train_step", "velocity"]
