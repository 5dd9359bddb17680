"""Training a model on torch, in generated C++ or on the simulated chip."""
