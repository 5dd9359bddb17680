"""Haribote: a graph compiler that ends on a simulated AI chip."""
