"""How to be faster, in slow and obvious functions: stage 07 of the course. What is fast elsewhere is tested by them."""
