"""A sandbox that shows too much is found out."""

from __future__ import annotations

from grader.sandbox import Sandbox, find_sandbox
from grader.sandbox.probe import probe
from haribote.answers.tasks import ROOT
from tests.grader.sandboxes import sandboxed


@sandboxed
def test_a_sandbox_that_shows_too_much_is_found_out() -> None:
    sandbox = find_sandbox()
    assert probe(sandbox) == []
    private = ROOT / "README.md"
    assert str(private) in probe(Sandbox({str(private): private}, bwrap=sandbox.bwrap))
