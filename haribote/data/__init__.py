"""The data set: real MNIST where it can be had, else drawn digits."""

from haribote.data.dataset import Dataset, NormalisedImages, batch_order, fetch, load, mnist_folder, normalise

__all__ = ["Dataset", "NormalisedImages", "batch_order", "fetch", "load", "mnist_folder", "normalise"]
