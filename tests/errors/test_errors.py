"""
Kernels that cannot be compiled, and exactly what is said about each.

Each `.mlir` file of `programs/` begins with the expected error, without the file name:

    // 3:5: expected X, got Y
"""

from pathlib import Path

import pytest
from xdsl.xdsl_opt_main import xDSLOptMain

import spmd
from spmd.dialects.diagnostics import KernelError

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


PASSES = "convert-gpu-to-spmd,parallel-loops-to-kernels,spmd-to-loops,vectorize"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_error_of_the_stock_tool(path: Path):
    """One of a pass says the same, after the name of the kernel."""
    place, _, expected = (
        path.read_text().splitlines()[0].removeprefix("// ").partition(" ")
    )
    try:
        xDSLOptMain(args=[str(path), "-p", PASSES]).run()
    except KernelError as error:
        got = str(error)
        assert got.startswith(f"{path}:{place} @")
        assert f": {expected[:50]}" in got
    except Exception as error:
        if type(error).__module__.startswith("spmd."):
            raise


def test_there_are_errors():
    assert len(FILES) > 10
