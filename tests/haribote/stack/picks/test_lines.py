"""Words that go together are those that lie side by side in every PE, also at the start of the memory."""

from __future__ import annotations

import numpy as np

from haribote.stack.picks.lines import ANY, items


def test_items_read_what_each_word_asks_for() -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        targets = np.sort(random.choice(12, random.integers(1, 9), replace=False))
        reads = np.where(random.random((len(targets), 3)) < 0.3, ANY, random.integers(0, 6, (len(targets), 3)))
        if random.random() < 0.5:  # more often side by side
            reads = np.where(reads == ANY, ANY, targets[:, None] - targets[0])
        made = {
            (item.target + k, pe): int(start) + k
            for item in items(targets, reads)
            for k in range(item.words)
            for pe, start in enumerate(item.reads)
            if start != ANY
        }
        for row, target in enumerate(targets):
            for pe in range(3):
                if reads[row, pe] != ANY:
                    assert made[int(target), pe] == reads[row, pe], (targets, reads)


def test_the_same_word_twice_is_no_pair() -> None:
    found = items(np.array([0, 1]), np.zeros((2, 4), np.int64))
    assert [(item.target, item.words) for item in found] == [(0, 1), (1, 1)]
