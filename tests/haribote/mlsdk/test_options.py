"""Options of `compile`: known ones, files of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haribote.errors import HariboteError
from haribote.mlsdk.options import read_options


def test_what_is_said_beside_a_file_wins(tmp_path: Path) -> None:
    file = tmp_path / "options.json"
    file.write_text(json.dumps({"float_dtype": "half", "backprop": True, "scheduler": 3}))
    with pytest.warns(UserWarning, match=r"options\.json: scheduler is for the vendor's compiler"):
        found = read_options({"option_json": str(file), "float_dtype": "mixed"})
    assert (found.float_dtype, found.backprop, found.precision) == ("mixed", True, "half")
    assert read_options(None).precision == "float"


def test_a_preset_of_the_vendors_compiler_changes_nothing() -> None:
    with pytest.warns(UserWarning, match="a preset of the vendor's compiler"):
        assert read_options({"option_json": "/opt/preset_options/O2.json"}) == read_options({})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"float_dtyp": "half"}, "options of compile has no 'float_dtyp' here\n    try: float_dtype"),
        ({"float_dtype": "bfloat16"}, "float_dtype 'bfloat16'\n    try: one of float, mixed, half"),
        ({"backprop": "yes"}, "backprop 'yes'"),
        ({"option_json": "/nowhere/mine.json"}, "there is no file /nowhere/mine.json"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(HariboteError, match=message):
        read_options(options)


def test_a_file_that_is_no_object(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(HariboteError, match="holds a list"):
        read_options({"option_json": str(tmp_path / "list.json")})
    with pytest.raises(HariboteError, match="cannot be read as JSON"):
        read_options({"option_json": str(tmp_path / "broken.json")})
