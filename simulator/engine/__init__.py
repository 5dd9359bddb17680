"""The memories and the run: `numpy` is the definition, `native` the same in C++, `numbers` the arithmetic."""
