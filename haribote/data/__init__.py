"""The data set: real MNIST where it can be had, else drawn digits."""
