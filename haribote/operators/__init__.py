"""What operators mean: ONNX's own by its reference, ours by their function bodies."""
