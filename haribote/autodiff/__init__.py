"""Backward graphs on ONNX: one rule per operator, and the walk that applies them."""
