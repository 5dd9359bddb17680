"""`grader grade`: many submissions, graded in parallel, each answer emitted in a sandbox and judged outside of it.

submission.py -> work.py (in workers: emit.py in the sandbox, judge.py in a process with limits) -> coordinator.py
(the only one that writes verdicts: journal.py) -> report.py, page.py
"""
