"""A jaxpr as a flat list of operations: calls inlined, what is known computed, loops unrolled or marked."""
