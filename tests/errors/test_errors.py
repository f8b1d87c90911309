"""
Kernels that cannot be compiled, and exactly what is said about each.

Each `.mlir` file of `programs/` begins with the expected error, without the file name:

    // 3:5: expected X, got Y
"""

from pathlib import Path

import pytest

import spmd

FILES = sorted((Path(__file__).parent / "programs").rglob("*.mlir"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_error(path: Path):
    expected = path.read_text().splitlines()[0].removeprefix("// ")
    with pytest.raises(spmd.CompileError) as info:
        # Going through all stages compiles everything that a launch would.
        list(spmd.compile(path).stages())
    assert not isinstance(info.value, spmd.InternalError)
    first, *caret = str(info.value).splitlines()
    assert first.replace(f"{path}:", "").strip() == expected
    assert not caret or caret[1].strip() == "^"


def test_there_are_errors():
    assert len(FILES) > 10
