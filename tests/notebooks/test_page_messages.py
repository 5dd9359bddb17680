"""Messages of scripts and pages in the catalogues: all of them, apart from those of the code."""

from __future__ import annotations

import gettext
import io
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from notebooks.messages import DOMAINS, ROOT, found_in, mo, po, read, renewed
from simulator.page_texts import END_OF_CONTEXT, PAGE, in_script

SCRIPTS = sorted(path for packages in DOMAINS.values() for name in packages for path in (ROOT / name).rglob("*.js"))


def test_scripts_and_pages_are_read(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "a.js").write_text('_("{count} lines", { count }); _("word")')
    (tmp_path / "package" / "a.html").write_text("<p>{{word}}</p><p>{{more}}</p>")
    (tmp_path / "package" / "a.py").write_text("tr('two words')")
    found = {(one.text, one.context) for one in found_in(["package"], tmp_path)}
    assert found == {("{count} lines", PAGE), ("word", PAGE), ("more", PAGE), ("two words", "")}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_asks_for_its_texts_word_by_word(path: Path) -> None:
    """A text that is put together cannot be translated: each `_(` is followed by one."""
    code = re.sub(r"^\s*//.*", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    calls = re.findall(r"(?<![\w$.])(?<!function )_\((?!text\b)", code)
    assert len(calls) == len(re.findall(r'(?<![\w$.])_\(\s*"', code))
    for text in in_script(code):
        assert not set(re.findall(r"\{(\w*)", text)) - set(re.findall(r"\w+", code)), text


def test_the_catalogue_of_programs_has_the_context() -> None:
    known = Catalog()
    known.add("{before}, {last}", "{before}、{last}", context=PAGE)
    catalogue = renewed("simulator", known)
    found = gettext.GNUTranslations(io.BytesIO(mo(catalogue)))
    assert f'msgctxt "{PAGE}"'.encode() in po(catalogue)
    assert found.pgettext(PAGE, "{before}, {last}") == "{before}、{last}"
    assert found.gettext("{before}, {last}") == "{before}, {last}"


@pytest.mark.parametrize("domain", DOMAINS)
def test_translations_fit_where_they_stand(domain: str) -> None:
    """In a page a text may stand between quotation marks; its places and tags are those of the English one."""
    marks = re.compile(r"\{\w+\}|<[^>]*>")
    for key, said in read(domain, "ja").items():
        context, _, text = key.rpartition(END_OF_CONTEXT)
        if context == PAGE and said:
            assert sorted(marks.findall(text)) == sorted(marks.findall(said)), text
            assert '"' not in re.sub(r"<[^>]*>", "", said), text
