"""`haribote demo` shows the course's compiler, whatever a learner has written."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from haribote.answers import ownership
from haribote.commands import demo
from haribote.layout import LAYOUTS
from haribote.training.evaluation import accuracy


def test_reads_no_learners_file(monkeypatch, tmp_path):
    def asked(task):
        raise AssertionError(f"the learner's file of task {task} was asked for")

    monkeypatch.setattr(ownership, "learners_function", asked)
    seen = []

    def train(options, data):
        seen.append((options.solutions, accuracy(np.eye(2), np.arange(2)), LAYOUTS["16"].position("PE")[0]))
        return SimpleNamespace(losses=[0.5] * 40)

    monkeypatch.setattr(demo, "train", train)
    monkeypatch.setattr(demo, "FOLDER", tmp_path)
    assert demo.demo_command("synthetic") == 0
    assert seen == [(True, 1.0, 0)]
