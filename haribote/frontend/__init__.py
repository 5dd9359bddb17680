"""Front ends: from a framework's program to an ONNX graph."""
