"""A catalogue for one test, and what Japanese texts must be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from simulator import messages


@contextmanager
def japanese(entries: Mapping[str, str]) -> Iterator[None]:
    """Inside, the language is Japanese, and these are all its messages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "texts", lambda domain, folder, into: entries if domain == "simulator" else {})
        patch.setattr(messages, "SOURCES", [])
        patch.setenv("HARIBOTE_LANG", "ja")
        messages.forget()
        yield
    messages.forget()
