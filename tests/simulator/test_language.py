import pytest

from simulator.errors import LanguageError
from simulator.language import language


@pytest.mark.parametrize(
    ("variable", "session", "wanted"),
    [
        ("", "", "en"),
        ("ja", "", "ja"),
        ("", "/home/me/01_trace.ja.ipynb", "ja"),
        ("en", "/home/me/01_trace.ja.ipynb", "en"),
        ("", "/home/me/01_trace.ipynb", "en"),
        ("", "/home/me.ja/01_trace.ipynb", "en"),
        ("", "/home/me/01_trace.fr.ipynb", "en"),
    ],
)
def test_the_variable_counts_and_then_the_notebook(
    variable: str, session: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", variable)
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert language() == wanted


def test_a_language_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "fr")
    with pytest.raises(LanguageError, match=r"HARIBOTE_LANG is 'fr'\n    try: one of en, ja"):
        language()
