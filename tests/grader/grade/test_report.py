"""Reports of a run as text, table, page and JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from grader.grade.page import as_page
from grader.grade.report import as_csv, as_json, as_text, report_of
from grader.grade.work import Work
from grader.submissions.submission import Submission
from tests.grader.grade.runs import graded, learner, say_passed, threads

EVIL = "<script>alert(1)</script>"


def test_reports(tmp_path: Path) -> None:
    evil = learner(f"=cmd{EVIL}", t0_1=EVIL, t5_12="b")
    class_ = [evil, learner("ada", t0_1="a", t5_12="b"), learner("bob", t0_1="a", t5_12="b"), learner("ada")]
    class_.append(Submission("eve", "eve.zip", problem=f"unreadable: {EVIL}"))

    def grade(work: Work) -> dict[str, Any]:
        verdict = say_passed(work)
        if work.content == EVIL.encode():
            verdict |= {"state": "failed", "points": 2, "failure": f"{EVIL}\x1b[2J", "picture": f"<svg>{EVIL}</svg>"}
        return verdict

    report = report_of(class_, graded(tmp_path, class_, threads(), grade), 1)
    rows = list(csv.reader(io.StringIO(as_csv(report))))
    assert rows[0][:4] == ["id", "submission", "points", "of"] and len(rows) == 6
    assert rows[1][0].startswith("'=cmd") and rows[1][2] == "12" and rows[2][2] == "15"
    assert EVIL in rows[5][-1] and "the same name as" in rows[2][-1]
    page = as_page(report)
    assert EVIL not in page and "&lt;script&gt;" in page and "default-src 'none'" in page and "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    content = json.loads(as_json(report))
    assert content["submissions"][1]["tasks"]["5.12"]["state"] == "passed"
    assert content["identical"] == [{"submissions": ["ada.zip", "bob.zip"], "what": "all files are the same"}]
    assert "ada" in as_text(report) and "the same: ada, bob" in as_text(report)
