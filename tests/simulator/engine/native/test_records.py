"""The records that Python fills lie in memory as a C++ compiler lays out the same header."""

from __future__ import annotations

import subprocess
from ctypes import sizeof
from pathlib import Path

import pytest

from simulator.cxx import NoCompiler, find_compiler
from simulator.engine.native.records import ALL, SOURCES


def test_every_field_lies_where_the_compiler_puts_it(tmp_path: Path) -> None:
    try:
        compiler = find_compiler()
    except NoCompiler as error:
        pytest.skip(str(error))
    fields = [(name, field[0]) for name, record in ALL.items() for field in record._fields_]
    assert len(fields) > 50 and ("Machine", "turnaround") in fields and ("Instruction", "l1bs") in fields
    values = [f"offsetof({name}, {field}), sizeof({name}::{field})" for name, field in fields]
    values += [f"sizeof({name})" for name in ALL]
    (tmp_path / "layout.cpp").write_text(
        "#include <cstddef>\n#include <cstdio>\n#include <initializer_list>\n"
        f'#include "{SOURCES / "records.hpp"}"\nusing namespace haribote;\n'
        f'int main() {{ for (std::size_t n : {{{", ".join(values)}}}) std::printf("%zu ", n); }}\n'
    )
    subprocess.run([*compiler, "-std=c++17", str(tmp_path / "layout.cpp"), "-o", str(tmp_path / "layout")], check=True)
    said = subprocess.run([str(tmp_path / "layout")], check=True, capture_output=True, text=True).stdout
    found = [getattr(ALL[name], field) for name, field in fields]
    sizes = [sizeof(record) for record in ALL.values()]
    assert [int(number) for number in said.split()] == [n for f in found for n in (f.offset, f.size)] + sizes
