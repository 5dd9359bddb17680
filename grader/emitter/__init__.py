"""The untrusted side of a check: it runs the learner's code on what is given and hands back plain values.

A sandbox shows this package and nothing else of `grader`: it knows no right answer and imports no other part of it.

    given (plain values) -> a Form calls the learner's function -> answer (plain values)

`python -m grader.emitter TASK FILE` does the same as a process of its own, one JSON line per case.
"""
