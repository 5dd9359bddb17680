"""Submissions that are the same: file by file, or in all that they emit. What that means is for people to decide."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.grade.judge import Verdict
from grader.submissions.submission import Submission
from simulator.messages import tr

FEWEST = 5  # tasks that two submissions must have in common before what they emit is compared
SHARE = 0.9  # of these tasks, so many must emit the same bytes


@dataclass(frozen=True)
class Twins:
    """Two or more submissions that have something in common; what, in words. members: indexes of submissions."""

    members: tuple[int, ...]
    what: str


def find_twins(submissions: Sequence[Submission], verdicts: Sequence[Mapping[str, Verdict]]) -> list[Twins]:
    """Identical submissions first, then pairs of which most tasks emit the same bytes."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, submission in enumerate(submissions):
        if submission.files:
            groups[submission.digest].append(number)
    found = [Twins(tuple(group), tr("all files are the same")) for group in groups.values() if len(group) > 1]
    same = {pair for twins in found for pair in combinations(twins.members, 2)}
    answers = [{task: verdict["answer"] for task, verdict in own.items() if verdict.get("answer")} for own in verdicts]
    files = [submission.hashes for submission in submissions]
    for one, two in combinations(range(len(submissions)), 2):
        if (one, two) in same:
            continue
        both = answers[one].keys() & answers[two].keys()
        alike = [task for task in both if answers[one][task] == answers[two][task]]
        if len(both) >= FEWEST and len(alike) >= SHARE * len(both):
            copied = sum(files[one][task] == files[two][task] for task in both)
            text = tr(
                "{alike} of {both} answers emit the same bytes, {copied} files are the same",
                len(alike),
                len(both),
                copied,
            )
            found.append(Twins((one, two), text))
    return found
