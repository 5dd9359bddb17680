"""Vectors: a chain of element-wise operators as one loop over the words of a PE, an expression in registers.

nodes of the graph -> values (machine operations) -> nodes (masked writes, targets) -> lines -> text for each group
"""
