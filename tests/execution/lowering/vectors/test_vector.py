"""`vector`: values of any rank and reductions, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.execution.lowering.elementwise import equal
from tests.execution.lowering.native_functions import DTYPES, Array, NativeFunctions


def computed(body: str, result: str, shape: tuple[int, ...], *arrays: Array) -> Array:
    """
    What a body makes of vectors `%a`, `%b` that hold whole arrays.

    `result` is the element type of `%r`, a vector of the given shape.
    """
    names = "ab"[: len(arrays)]
    types = [_vector(array.shape, _scalar(array)) for array in arrays]
    memrefs = [f"memref<{type_[7:]}" for type_ in types]
    arguments = "".join(f"%x{n}: {m}, " for n, m in zip(names, memrefs, strict=True))
    loads = ""
    for name, array, memref, type_ in zip(names, arrays, memrefs, types, strict=True):
        zeros = ", ".join(["%c0"] * array.ndim)
        loads += f"%{name} = vector.load %x{name}[{zeros}] : {memref}, {type_}\n"
    out = _vector(shape, result)
    zeros = ", ".join(["%c0"] * len(shape))
    functions = NativeFunctions(f"""
      func.func @f({arguments}%out: memref<{out[7:]}, %i: index, %j: index) {{
        %c0 = arith.constant 0 : index
        {loads}
        {body}
        vector.store %r, %out[{zeros}] : memref<{out[7:]}, {out}
        func.return
      }}""")
    values = np.zeros(shape, DTYPES[result])
    functions("f", *arrays, values, 1, 2)
    return values


def _vector(shape: tuple[int, ...], scalar: str) -> str:
    return f"vector<{'x'.join(map(str, shape))}x{scalar}>"


def _scalar(array: Array) -> str:
    return next(t for t, dtype in DTYPES.items() if array.dtype == dtype)


CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ROW = np.arange(8, dtype=np.int32) * 3 - 5


def test_broadcast():
    row = np.arange(4, dtype=np.float32)
    body = "%r = vector.broadcast %a : vector<4xf32> to vector<2x3x4xf32>"
    got = computed(body, "f32", (2, 3, 4), row)
    assert (got == np.broadcast_to(row, (2, 3, 4))).all()
    column = np.arange(3, dtype=np.float32).reshape(3, 1)
    body = "%r = vector.broadcast %a : vector<3x1xf32> to vector<2x3x4xf32>"
    got = computed(body, "f32", (2, 3, 4), column)
    assert (got == np.broadcast_to(column, (2, 3, 4))).all()
    body = """%s = arith.index_cast %j : index to i64
        %r = vector.broadcast %s : i64 to vector<5xi64>"""
    assert (computed(body, "i64", (5,)) == 2).all()


def test_extract_and_insert_at_known_positions():
    body = "%r = vector.extract %a[1] : vector<3x4xf32> from vector<2x3x4xf32>"
    assert (computed(body, "f32", (3, 4), CUBE) == CUBE[1]).all()
    body = """%s = vector.extract %a[1, 2, 3] : f32 from vector<2x3x4xf32>
        %r = vector.broadcast %s : f32 to vector<1xf32>"""
    assert (computed(body, "f32", (1,), CUBE) == CUBE[1, 2, 3]).all()
    body = """%s = vector.extract %a[1, 2] : vector<4xf32> from vector<2x3x4xf32>
        %r = vector.insert %s, %a [0, 1] : vector<4xf32> into vector<2x3x4xf32>"""
    expected = CUBE.copy()
    expected[0, 1] = CUBE[1, 2]
    assert (computed(body, "f32", (2, 3, 4), CUBE) == expected).all()
    body = """%s = arith.constant 9.0 : f32
        %r = vector.insert %s, %a [1, 0, 2] : f32 into vector<2x3x4xf32>"""
    expected = CUBE.copy()
    expected[1, 0, 2] = 9
    assert (computed(body, "f32", (2, 3, 4), CUBE) == expected).all()


def test_extract_and_insert_at_positions_of_run_time():
    body = "%r = vector.extract %a[%i, 2] : vector<4xf32> from vector<2x3x4xf32>"
    assert (computed(body, "f32", (4,), CUBE) == CUBE[1, 2]).all()
    body = """%s = vector.extract %a[0, %j, %i] : f32 from vector<2x3x4xf32>
        %r = vector.insert %s, %a [%i, %j, 3] : f32 into vector<2x3x4xf32>"""
    expected = CUBE.copy()
    expected[1, 2, 3] = CUBE[0, 2, 1]
    assert (computed(body, "f32", (2, 3, 4), CUBE) == expected).all()
    body = """%s = vector.extract %a[0, 0] : vector<4xf32> from vector<2x3x4xf32>
        %r = vector.insert %s, %a [%i, %j] : vector<4xf32> into vector<2x3x4xf32>"""
    expected = CUBE.copy()
    expected[1, 2] = CUBE[0, 0]
    assert (computed(body, "f32", (2, 3, 4), CUBE) == expected).all()


def test_shuffle():
    body = "%r = vector.shuffle %a, %a [7, 0, 9, 3] : vector<8xi32>, vector<8xi32>"
    assert (computed(body, "i32", (4,), ROW) == ROW[[7, 0, 1, 3]]).all()
    short = np.arange(3, dtype=np.int32)
    body = "%r = vector.shuffle %a, %b [0, 8, 10, 2] : vector<8xi32>, vector<3xi32>"
    both = np.concatenate([ROW, short])
    assert (computed(body, "i32", (4,), ROW, short) == both[[0, 8, 10, 2]]).all()
    body = "%r = vector.shuffle %b, %a [0, 3, 10, 2] : vector<3xi32>, vector<8xi32>"
    both = np.concatenate([short, ROW])
    assert (computed(body, "i32", (4,), ROW, short) == both[[0, 3, 10, 2]]).all()
    one = np.arange(4, dtype=np.int32).reshape(1, 4) + 100
    two = np.arange(8, dtype=np.int32).reshape(2, 4)
    body = "%r = vector.shuffle %a, %b [2, 0, 1] : vector<2x4xi32>, vector<1x4xi32>"
    both = np.concatenate([two, one])
    assert (computed(body, "i32", (3, 4), two, one) == both[[2, 0, 1]]).all()


def test_bitcast_step_and_fma():
    body = "%r = vector.bitcast %a : vector<8xi32> to vector<16xi16>"
    assert (computed(body, "i16", (16,), ROW) == ROW.view(np.int16)).all()
    body = "%r = vector.step : vector<7xindex>"
    assert (computed(body, "index", (7,)) == np.arange(7)).all()
    x = np.arange(6, dtype=np.float64) + 0.1
    body = "%r = vector.fma %a, %a, %a : vector<6xf64>"
    assert np.allclose(computed(body, "f64", (6,), x), x * x + x, rtol=1e-15)


@pytest.mark.parametrize("count", [-3, 0, 1, 5, 8, 9, 2**40])
def test_create_mask(count: int):
    body = f"""%n = arith.constant {count} : index
        %m = vector.create_mask %n : vector<8xi1>
        %zero = arith.constant 0 : index
        %k = arith.addi %n, %zero : index
        %r = arith.ori %m, %m : vector<8xi1>"""
    assert (computed(body, "i1", (8,)) == (np.arange(8) < count)).all()
    functions = NativeFunctions("""
      func.func @f(%n: index, %k: index, %out: memref<3x5xi1>) {
        %c0 = arith.constant 0 : index
        %m = vector.create_mask %n, %k : vector<3x5xi1>
        vector.store %m, %out[%c0, %c0] : memref<3x5xi1>, vector<3x5xi1>
        func.return
      }""")
    out = np.zeros((3, 5), bool)
    for n in (-1, 2, 7):
        functions("f", n, count, out)
        expected = (np.arange(3)[:, None] < n) & (np.arange(5) < count)
        assert (out == expected).all()


REDUCTIONS: dict[str, Callable[[Array], Any]] = {
    "add": np.add.reduce,
    "mul": np.multiply.reduce,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
    "minsi": np.min,
    "maxsi": np.max,
    "minui": lambda a: a.view(f"u{a.itemsize}").min(),
    "maxui": lambda a: a.view(f"u{a.itemsize}").max(),
}


@pytest.mark.parametrize("scalar", ["i8", "i32", "i64"])
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions_of_integers(kind: str, scalar: str):
    x = np.array([3, -7, 100, 5, -1, 6], DTYPES[scalar])
    acc = np.array([11], DTYPES[scalar])
    for extra, values in (("", x), (", %c", np.append(x, acc))):
        body = f"""%c = arith.constant 11 : {scalar}
            %s = vector.reduction <{kind}>, %a{extra} : vector<6x{scalar}> into {scalar}
            %r = vector.broadcast %s : {scalar} to vector<1x{scalar}>"""
        expected = np.array(REDUCTIONS[kind](values)).astype(DTYPES[scalar])
        assert computed(body, scalar, (1,), x)[0] == expected


def test_reductions_of_bits():
    bits = np.array([True, False, True])
    for kind, expected in (("and", False), ("or", True), ("xor", False)):
        body = f"""%s = vector.reduction <{kind}>, %a : vector<3xi1> into i1
            %r = vector.broadcast %s : i1 to vector<1xi1>"""
        assert computed(body, "i1", (1,), bits)[0] == expected


def in_order(function: Any, values: Array) -> Any:
    total = values[0]
    for value in values[1:]:
        total = function(total, value)
    return total


FLOAT_REDUCTIONS: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "minimumf": np.minimum,
    "maximumf": np.maximum,
    "minnumf": np.fmin,
    "maxnumf": np.fmax,
}


@pytest.mark.parametrize("scalar", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("kind", FLOAT_REDUCTIONS)
def test_reductions_of_floats_go_in_order(kind: str, scalar: str):
    rng = np.random.default_rng(7)
    x = (rng.uniform(-2, 2, 9) * 3.3).astype(DTYPES[scalar])
    for special in (x, np.where(np.arange(9) == 4, np.nan, x).astype(x.dtype)):
        for extra, values in (
            ("", special),
            (", %c", np.append([x.dtype.type(1.5)], special)),
        ):
            body = f"""%c = arith.constant 1.5 : {scalar}
                %s = vector.reduction <{kind}>, %a{extra}
                  : vector<9x{scalar}> into {scalar}
                %r = vector.broadcast %s : {scalar} to vector<1x{scalar}>"""
            with np.errstate(all="ignore"):
                expected = in_order(FLOAT_REDUCTIONS[kind], values)
            got = computed(body, scalar, (1,), special)
            assert equal(got, np.array([expected], x.dtype)).all(), (got, expected)
