"""What is kept is found again by the product's code and by the learner's that is used in its place."""

from __future__ import annotations

from haribote.answers import deciding, ownership
from haribote.answers.ownership import product_only


def test_an_answer_changes_the_digest_where_it_is_used(monkeypatch, tmp_path):
    answer = tmp_path / "t3_2_softmax.py"

    def answer_file(task, solutions):
        return answer if task.id == "3.2" and not solutions else tmp_path / "none"

    monkeypatch.setattr(ownership, "answer_file", answer_file)
    before = deciding.digest("haribote.stack.program.compiled")
    answer.write_text("def softmax(g, logits): raise NotWritten")
    assert deciding.digest("haribote.stack.program.compiled") == before
    answer.write_text("def softmax(g, logits): return 1")
    changed = deciding.digest("haribote.stack.program.compiled")
    assert changed != before
    assert deciding.digest("simulator.schedule.kept") == deciding.digest("simulator.schedule.kept")
    with product_only():
        assert deciding.digest("haribote.stack.program.compiled") == before
