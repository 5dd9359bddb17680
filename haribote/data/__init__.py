"""The data set: real MNIST where it can be had, else drawn digits."""

from haribote.data.dataset import BATCH, Dataset, NormalisedImages, batch_order, fetch, load, mnist_folder, normalise

__all__ = ["BATCH", "Dataset", "NormalisedImages", "batch_order", "fetch", "load", "mnist_folder", "normalise"]
