"""ATen operations written in operations that have a rule, by theme; `frontend/decompositions.py` has them all."""
