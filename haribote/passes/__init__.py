"""The passes, one per file: ONNX graph in, ONNX graph out."""
