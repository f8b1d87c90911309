"""How kernels in Python are called: types, defaults, sizes, and what they delegate."""

# pyright: basic

import array
import copy
import inspect
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spmd
from spmd.language import constexpr, global_id
from tests.runtime.python.harness import expect_as_python, kernel_of


@spmd.kernel
def add(x, a, b=2.5):
    """Adds to all elements."""
    x[global_id()] += a + b


def compiled(kernel: spmd.PythonKernel) -> int:
    return len(kernel._compiled)


def test_types_of_arguments_specialise_once():
    kernel = spmd.kernel(add.function)
    x = np.zeros(4, np.float32)
    for a in (1, 2, np.float32(3), 4.0, 5.0):
        kernel(x, a, global_size=4)
    assert compiled(kernel) == 3
    np.testing.assert_array_equal(x, 15 + 5 * 2.5)
    kernel(x.astype(np.float64), 1, global_size=4)
    kernel(np.zeros((8,), np.float32)[::2], 1, global_size=4)
    assert compiled(kernel) == 5


def test_names_and_defaults():
    x = np.zeros(4)
    add(x, 1, global_size=4)
    add(a=1, x=x, global_size=4)
    add(x, b=1, a=1, global_size=4)
    np.testing.assert_array_equal(x, 3.5 + 3.5 + 2)


@spmd.kernel
def typed(x, n: int, a: "np.float32", unknown: "Nothing" = 1):  # noqa: F821  # pyright: ignore
    x[global_id()] = n * a * unknown


def test_annotations_fix_types():
    x = np.zeros(2)
    typed(x, np.int8(3), 0.1, global_size=2)
    typed(x, 3, np.float64(0.1), global_size=2)
    typed(x, 3, 1, global_size=2)
    assert compiled(typed) == 1
    with pytest.raises(spmd.LaunchError, match="expected a whole number"):
        typed(x, 2.5, 1, global_size=2)


@spmd.kernel
def unrolled(x, times: constexpr, f: constexpr = abs):
    if times == 0:
        x[global_id()] = -1
    else:
        x[global_id()] = f(x[global_id()]) * times


def test_constexpr_is_compiled_in():
    x = -np.ones(2)
    unrolled(x, 3, global_size=2)
    assert "arith.muli" not in unrolled.ir("python", x, 3)
    np.testing.assert_array_equal(x, 3)
    unrolled(x, times=0, global_size=2)
    unrolled(x, 2, np.square, global_size=2)
    np.testing.assert_array_equal(x, 2)
    assert compiled(unrolled) == 3
    with pytest.raises(spmd.LaunchError, match="hashable"):
        unrolled(x, [1], global_size=2)


@spmd.kernel
def scaled(x, mask=None, a: "np.float32" = 2):  # pyright: ignore
    i = global_id()
    if mask is None or mask[i]:
        x[i] *= a


def test_none_is_an_argument_that_is_not_there():
    x = np.ones(3)
    scaled(x, global_size=3)
    scaled(x, np.array([True, False, True]), global_size=3)
    scaled.interpret(x, None, global_size=3)
    np.testing.assert_array_equal(x, [8, 4, 8])
    with pytest.raises(spmd.LaunchError, match="expected a number, got None"):
        scaled(x, a=None, global_size=3)


def test_arrays_of_any_layout_and_library():
    x = np.zeros((6, 4))
    add(x[1:, 2], 1, 1, global_size=5)
    add(x.T[0], 1, 1, global_size=6)
    add(x[5, ::-1], 1, 1, global_size=1)
    assert x.sum() == 24
    assert (x[5] == [2, 0, 2, 2]).all()
    numbers = array.array("d", [1, 2])
    add(numbers, 1, 1, global_size=2)
    assert list(numbers) == [3, 4]
    add(memoryview(numbers), 1, 1, global_size=2)
    assert list(numbers) == [5, 6]


@spmd.kernel
def scalar(x):
    x[()] += 1


def test_arrays_without_dimensions():
    x = np.zeros(())
    scalar(x, global_size=1)
    assert x == 1


def test_bind_is_called_again_and_again():
    x = np.zeros(4)
    launch = add.bind(x, 1, 1, global_size=4, threads=1, timeout=60.0)
    launch()
    launch()
    np.testing.assert_array_equal(x, 4)


def test_what_it_delegates():
    x = np.zeros(4)
    names = [name for name, _ in add.stages(x, 1)]
    assert names[0] == "python"
    assert {"spmd-to-loops", "vectorize", "spmd-llvm"} < set(names)
    assert "spmd.kernel @add(%x: memref<?xf64>, %a: index, %b: f64)" in add.ir(
        "python", x, 1
    )
    assert "vector" in add.ir("vectorize", x, 1)
    assert "add" in str(add.explain(x, 1, global_size=4))
    assert add.check(x, 1, global_size=4)
    with pytest.raises(spmd.CompileError, match="expected one of the stages"):
        add.ir("nothing", x, 1)


def test_sizes_and_options_of_the_decorator():
    text = "@spmd.kernel(group_size=(8, 2), sub_group_size=4, width=4)\ndef k(x):\n    x[0] = 1\n"
    ir = kernel_of(text).ir("python", np.zeros(1))
    assert "work_group_size = array<i64: 8, 2>, sub_group_size = 4" in ir
    kernel = kernel_of("@spmd.kernel(sub_group_size=3)\ndef k(x):\n    x[0] = 1\n")
    with pytest.raises(spmd.CompileError, match="power of two"):
        kernel(np.zeros(1), global_size=1)


@pytest.mark.optimized
def test_fastmath():
    text = """
@spmd.kernel{options}
def k(x, y):
    i = global_id()
    total = 0
    for v in x:
        total += v / 3 * 2 if v == v else 5
    y[i] = np.exp(total)
"""
    x, y = np.array([1, np.nan, np.inf], np.float32), np.empty(1, np.float32)
    for options, flags in {
        "": "",
        "(fastmath=False)": "",
        "(fastmath='contract')": " fastmath<contract>",
        "(fastmath=True)": " fastmath<reassoc,nsz,arcp,contract,afn>",
    }.items():
        kernel = pickle.loads(pickle.dumps(kernel_of(text.format(options=options))))
        ir = kernel.ir("python", x, y)
        for op in ("divf", "mulf", "addf", "exp"):
            assert f"{flags} : f32" in next(
                line for line in ir.splitlines() if op in line
            )
        assert ir.count("fastmath") == (5 if flags else 0)
        kernel(x, y, global_size=1)
        assert y[0] == np.inf  # Special values keep their meaning.
    fast = kernel_of(text.format(options="(fastmath=['arcp', 'reassoc'])"))
    numbers = np.linspace(-1, 1, 1001, dtype=np.float32)
    fast(numbers, y, global_size=1)
    np.testing.assert_allclose(y, np.exp((numbers / 3 * 2).sum()), rtol=1e-4)
    for wrong in ("fast", 1.5, ["contract", 3]):
        with pytest.raises(
            spmd.CompileError, match="expected fastmath to be True, or any"
        ):
            spmd.kernel(fastmath=wrong)  # pyright: ignore


def test_it_looks_like_its_function():
    assert inspect.signature(add) == inspect.signature(add.function)
    assert add.__doc__ == "Adds to all elements."
    assert repr(add) == "<spmd kernel add(x, a, b=2.5)>"
    assert repr(helper) == "<spmd function helper(v)>"
    assert helper(3) == 6
    kernel = spmd.kernel(add.function)
    kernel(np.zeros(2), 1, global_size=2)
    html = kernel._repr_html_()
    assert html.startswith("<pre>&lt;spmd kernel add(x, a, b=2.5)&gt;\n")
    assert "compiled for x: float64[:], a: int, b: float" in html


@spmd.function
def helper(v):
    return 2 * v


def test_pickled_by_name():
    assert pickle.loads(pickle.dumps(add)) is add
    assert copy.deepcopy(add) is add
    assert pickle.loads(pickle.dumps(helper)) is helper


PROGRAM = """
import pickle, sys
import numpy as np, spmd
from spmd.language import constexpr, global_id

SCALE = np.array([2.0, 3.0])

def factory(offset):
    @spmd.function
    def scaled(v):
        return SCALE[1] * v + offset

    @spmd.kernel(group_size=4)
    def k(x, times: constexpr, b: np.float64 = 2.5):
        for _ in range(times):
            x[global_id()] = scaled(np.sqrt(x[global_id()])) + b

    return k

if __name__ == "__main__":
    kernels = factory(1.0), spmd.autotune([{"width": 4}])(factory(2.0))
    sys.stdout.buffer.write(pickle.dumps(kernels))
"""


def test_pickled_by_text_where_nobody_finds_the_name(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    made = subprocess.run(
        [sys.executable, str(program)], stdout=subprocess.PIPE, check=True
    )
    program.unlink()
    kernel, tuned = pickle.loads(made.stdout)
    x = np.full(4, 4.0)
    kernel(x, 1, global_size=4)
    np.testing.assert_array_equal(x, 9.5)
    tuned(x, 1, global_size=4)
    np.testing.assert_allclose(x, 3 * np.sqrt(9.5) + 4.5)
    assert "array<i64: 4>" in kernel.ir("python", x, 1)
    with pytest.raises(spmd.CompileError) as raised:
        kernel(np.zeros((2, 2)), 1, global_size=4)
    assert raised.value.line == 16
    assert (
        (raised.value.source_line or "").strip().startswith("x[global_id()] = scaled(")
    )
    again = pickle.loads(pickle.dumps(kernel))
    again(x, 0, global_size=4)


def test_the_package_does_not_load_it():
    code = "import sys, spmd; assert not any('frontends' in m for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, spmd.language; assert 'xdsl' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@spmd.kernel
def signed(x, factors: constexpr, out):
    i = global_id()
    out[i] = math.copysign(x[i] * factors[0], factors[1])


def test_values_that_are_equal_are_compiled_in_one_by_one():
    x = np.full(3, 1 << 30, np.int32)
    for factors in ((2, 0.0), (2.0, 0.0), (np.int64(2), 0.0), (2, -0.0), (True, 0.0)):
        expect_as_python(signed, x, factors, np.zeros(3), global_size=3)


@spmd.kernel
def stored(a: np.int32, b: np.uint8, out):
    out[0], out[1] = a, b


@pytest.mark.parametrize("given", [(1 << 31, 0), (0, -1), (np.int64(1) << 40, 0)])
def test_an_annotated_type_has_a_sign(given: tuple[int, int]):
    stored(-(1 << 31), 255, np.zeros(2), global_size=1)
    with pytest.raises(spmd.LaunchError, match=r"expected a number from .* for u?int"):
        stored(*given, np.zeros(2), global_size=1)


INDENTED = """
def around():
    @spmd.kernel
    def k(x):
# not indented
        '''Says
what it does.'''
        print('''one
    two''', x[0] + \\
1)
        x[later] = 0
    return k
k = around()
"""


def test_texts_and_comments_that_are_not_indented(capsys: pytest.CaptureFixture[str]):
    kernel = kernel_of(INDENTED, later=0)
    kernel(np.zeros(1, np.int32), global_size=1)
    assert capsys.readouterr().out == "one\n    two 1\n"
    with pytest.raises(spmd.CompileError) as raised:
        kernel_of(INDENTED)(np.zeros(1, np.int32), global_size=1)
    assert (raised.value.line, raised.value.column) == (11, 11)


def test_a_variable_around_that_is_not_yet_there():
    @spmd.kernel
    def later(x):
        if x.ndim == 2:
            x[0, 0] = min
        x[0] = addend

    with pytest.raises(spmd.CompileError, match=r"a name that is defined, got addend"):
        later(np.zeros(1), global_size=1)
    addend, min = 3, 4
    later(x := np.zeros(1), global_size=1)
    assert x[0] == 3


@pytest.mark.parametrize("use", ["y = len(x)", "for y in x: pass", "y, z = x"])
def test_arrays_without_dimensions_have_no_length(use: str):
    kernel = kernel_of(f"@spmd.kernel\ndef k(x):\n    {use}\n")
    with pytest.raises(spmd.CompileError, match="an array that has dimensions, got"):
        kernel(np.zeros(()), global_size=1)
