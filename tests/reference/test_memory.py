"""Memrefs of the interpreter: layouts, views, bounds and arguments."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from spmd.reference import ArgumentError, UndefinedBehavior, run_kernel
from tests.execution.harness import parsed
from tests.reference.functions import call


def through(view: str, type_: str, source: Any, result: str = "f32") -> Any:
    """A memref seen through some views; `%v` is the result, of type `type_`."""
    shape = f"memref<{'x'.join('?' * source.ndim)}x{result}>"
    if source.ndim == 0:
        shape = f"memref<{result}>"
    text = f"""
func.func @f(%a: {shape}, %i: index, %j: index) -> {type_} {{
  {view}
  func.return %v : {type_}
}}
"""
    return call(text, source, 1, 2)[0]


A = np.arange(24, dtype=np.float32).reshape(4, 6)


@pytest.mark.parametrize(
    ("view", "type_", "expected"),
    [
        (
            "%v = memref.subview %a[1, %j] [2, 3] [2, 1] : memref<?x?xf32> to "
            "memref<2x3xf32, strided<[?, 1], offset: ?>>",
            "memref<2x3xf32, strided<[?, 1], offset: ?>>",
            A[1:4:2, 2:5],
        ),
        (
            "%v = memref.subview %a[%j, 0] [1, 6] [1, 1] : memref<?x?xf32> to "
            "memref<6xf32, strided<[1], offset: ?>>",
            "memref<6xf32, strided<[1], offset: ?>>",
            A[2],
        ),
        (
            "%v = memref.subview %a[0, %i] [4, 1] [1, 1] : memref<?x?xf32> to "
            "memref<4xf32, strided<[?], offset: ?>>",
            "memref<4xf32, strided<[?], offset: ?>>",
            A[:, 1],
        ),
        (
            "%c = memref.cast %a : memref<?x?xf32> to memref<4x6xf32>\n"
            "%v = memref.collapse_shape %c [[0, 1]] : memref<4x6xf32> into memref<24xf32>",
            "memref<24xf32>",
            A.ravel(),
        ),
        (
            "%c = memref.cast %a : memref<?x?xf32> to memref<4x6xf32>\n"
            "%v = memref.expand_shape %c [[0, 1], [2]] output_shape [2, 2, 6] : "
            "memref<4x6xf32> into memref<2x2x6xf32>",
            "memref<2x2x6xf32>",
            A.reshape(2, 2, 6),
        ),
        (
            "%v = memref.reinterpret_cast %a to offset: [%j], sizes: [3, %j], "
            "strides: [6, %i] : memref<?x?xf32> to "
            "memref<3x?xf32, strided<[6, ?], offset: ?>>",
            "memref<3x?xf32, strided<[6, ?], offset: ?>>",
            A[:3, 2:4],
        ),
    ],
    ids=["subview", "row", "column", "collapse", "expand", "reinterpret"],
)
def test_views(view: str, type_: str, expected: Any):
    assert through(view, type_, A.copy()).tolist() == expected.ravel().tolist()


def test_bytes_seen_as_other_elements():
    source = """
func.func @f(%a: memref<?xi8>, %at: index, %n: index) -> i32 {
  %c1 = arith.constant 1 : index
  %v = memref.view %a[%at][%n] : memref<?xi8> to memref<?xi32>
  %w = memref.load %v[%c1] : memref<?xi32>
  memref.store %w, %v[%c1] : memref<?xi32>
  func.return %w : i32
}
"""
    raw = np.arange(20, dtype=np.int8)
    assert call(source, raw, 4, 3) == [int(raw[8:12].view(np.int32)[0])]
    with pytest.raises(UndefinedBehavior, match="a view of 5x4 bytes at byte 4 of 20"):
        call(source, raw, 4, 5)


def test_inactive_lanes_may_look_at_bytes_that_are_not_there():
    source = """
func.func @f(%a: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lane) shape [4] at (%c0) {
    %at = arith.muli %lane, %c4 : index
    %v = memref.view %a[%at][] : memref<?xi8> to memref<1xi32>
    %on = arith.cmpi ult, %lane, %n : index
    spmd.masked %on {
      memref.store %one, %v[%c0] : memref<1xi32>
    }
  }
  func.return
}
"""
    raw = np.zeros(12, np.int8)
    call(source, raw, 3)
    assert raw.view(np.int32).tolist() == [1, 1, 1]
    with pytest.raises(UndefinedBehavior, match="a view of 1x4 bytes at byte 12 of 12"):
        call(source, raw, 4)


@pytest.mark.parametrize(
    "view",
    [
        "memref.view %a[%at][] : memref<16xi8> to memref<1xi8>",
        "memref.view %a[%c0][%at] : memref<16xi8> to memref<?xi8>",
        "memref.subview %a[%at] [1] [1] : memref<16xi8> to "
        "memref<1xi8, strided<[1], offset: ?>>",
    ],
    ids=["place", "size", "subview"],
)
def test_inactive_lanes_may_look_at_nobody_knows_what(view: str):
    source = f"""
func.func @f(%a: memref<16xi8>, %n: index, %m: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i8
  spmd.sub_group (%lane) shape [4] at (%c0) {{
    %known = arith.cmpi ult, %lane, %m : index
    %at = spmd.masked %known -> (index) {{
      %product = arith.muli %lane, %c4 : index
      %next = arith.addi %product, %c1 : index
      spmd.yield %next : index
    }}
    %v = {view}
    %on = arith.cmpi ult, %lane, %n : index
    spmd.masked %on {{
      memref.store %one, %v[%c0] : {view.split(" to ")[1]}
    }}
  }}
  func.return
}}
"""
    raw = np.zeros(16, np.int8)
    call(source, raw, 3, 3)
    assert raw.any()
    with pytest.raises(UndefinedBehavior):
        call(source, raw, 4, 3)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (
            "%v = memref.load %a[%i, %j] : memref<?x?xf32>",
            r"\[1, 9\] of a global memref",
        ),
        (
            "memref.store %x, %a[%j, %i] : memref<?x?xf32>",
            r"\[9, 1\] of a global memref",
        ),
        (
            "%v = memref.subview %a[%i, %j] [1, 2] [1, 1] : memref<?x?xf32> to "
            "memref<1x2xf32, strided<[?, 1], offset: ?>>\n"
            "%c0 = arith.constant 0 : index\n"
            "%w = memref.load %v[%i, %c0] : memref<1x2xf32, strided<[?, 1], offset: ?>>",
            "out of bounds",
        ),
        ("%v = memref.dim %a, %j : memref<?x?xf32>", "a dimension below 2, got 9"),
        (
            "%v = memref.cast %a : memref<?x?xf32> to memref<5x6xf32>",
            "expected sizes",
        ),
        (
            "%v = vector.load %a[%i, %i] : memref<?x?xf32>, vector<8xf32>",
            r"\[1, 6\] of a global memref",
        ),
    ],
    ids=["load", "store", "subview", "dim", "cast", "vector.load"],
)
def test_everything_is_checked(op: str, message: str):
    source = f"""
func.func @f(%a: memref<?x?xf32>, %i: index, %j: index, %x: f32) {{
  {op}
  func.return
}}
"""
    with pytest.raises(UndefinedBehavior, match=message):
        call(source, A.copy(), 1, 9, 0.0)


def test_negative_indices_are_shown_as_such():
    source = """
func.func @f(%a: memref<?xf32>, %i: index) {
  %v = memref.load %a[%i] : memref<?xf32>
  func.return
}
"""
    with pytest.raises(UndefinedBehavior, match=r"\[-1\] of a global memref a of 3"):
        call(source, np.zeros(3, np.float32), -1)


def test_arrays_with_strides_of_their_own():
    source = """
func.func @f(%a: memref<?x?xi16, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %a[%c0, %c1] : memref<?x?xi16, strided<[?, ?], offset: ?>>
  memref.store %v, %a[%c1, %c0] : memref<?x?xi16, strided<[?, ?], offset: ?>>
  func.return
}
"""
    whole = np.arange(48, dtype=np.int16).reshape(6, 8)
    for view in (whole[::2, ::3], whole[::-1, 5:2:-1], whole.T, whole[3:5, 2:]):
        array = view
        want = array.copy()
        want[1, 0] = want[0, 1]
        call(source, array)
        assert array.tolist() == want.tolist()


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        ("i1", np.bool_),
        ("i8", np.uint8),
        ("i16", np.int16),
        ("i32", np.uint32),
        ("i64", np.int64),
        ("index", np.int64),
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("bf16", np.uint16),
        ("f32", np.float32),
        ("f64", np.float64),
    ],
)
def test_every_element_type_survives_a_copy(type_: str, dtype: Any):
    source = f"""
func.func @f(%a: memref<?x{type_}>, %b: memref<?x{type_}>) {{
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<?x{type_}>
  memref.copy %a, %b : memref<?x{type_}> to memref<?x{type_}>
  memref.store %v, %b[%c0] : memref<?x{type_}>
  func.return
}}
"""
    values = [0, 1, 1, 0] if type_ == "i1" else [3, 0, 100, 7]
    a, b = np.array(values).astype(dtype), np.zeros(4, dtype)
    call(source, a, b)
    assert a.tobytes() == b.tobytes()


def test_arrays_that_overlap_share_their_memory():
    source = """
func.func @f(%a: memref<?xi32>, %b: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 77 : i32
  memref.store %v, %a[%c1] : memref<?xi32>
  %w = memref.load %b[%c0] : memref<?xi32>
  func.return %w : i32
}
"""
    whole = np.zeros(5, np.int32)
    assert call(source, whole[:3], whole[1:]) == [77]


def test_private_memory_is_fresh_and_shows_what_was_never_written():
    source = """
func.func @f() -> (f32, i32) {
  %a = memref.alloca() : memref<f32>
  %b = memref.alloca() : memref<i32>
  %v = memref.load %a[] : memref<f32>
  %w = memref.load %b[] : memref<i32>
  func.return %v, %w : f32, i32
}
"""
    v, w = call(source)
    assert np.isnan(v)
    assert w == -1


KERNEL = """
spmd.kernel @k(%n: i8, %x: memref<?x4xf32>) attributes {work_group_size = array<i64: 4>} {
  spmd.return
}
"""


@pytest.mark.parametrize(
    ("args", "sizes", "message"),
    [
        ([1], {}, "expected 2 arguments, got 1"),
        ([300, A], {}, "argument n in the range of i8, got 300"),
        (["a", A], {}, "argument n of type i8, got a"),
        ([1, [1.0]], {}, "an array for argument x, got list"),
        ([1, A.astype(np.float64)], {}, "elements of f32, got float64"),
        ([1, A], {}, r"argument x to be a memref<\?x4xf32>, got shape \(4, 6\)"),
        ([1, np.zeros((4, 8), np.float32)[:, ::2]], {}, "argument x to be contiguous"),
        ([1, A[:, :4].copy()], {"group_size": 8}, r"the group size \(4, 1, 1\)"),
        ([1, A[:, :4].copy()], {"global_size": -1}, "from 0 up, got -1"),
        (
            [1, A[:, :4].copy()],
            {"schedule": "sideways"},
            "expected a schedule of in-order",
        ),
    ],
)
def test_wrong_arguments(args: list[Any], sizes: dict[str, Any], message: str):
    given: dict[str, Any] = {"global_size": 4, **sizes}
    with pytest.raises(ArgumentError, match=message):
        run_kernel(parsed(KERNEL), "k", args, **given)


ARRAY = """
func.func @f(%n: index, %m: index) {
  %p = memref.alloca(%n, %m) : memref<?x?xf32>
  func.return
}
"""


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((2, -3), r"expected sizes of at least 0, got \[2, -3\]"),
        (
            (1 << 40, 1 << 40),
            f"expected {1 << 82} bytes of memory, the system does not",
        ),
        ((1 << 59, 1), f"expected {1 << 61} bytes of memory, the system does not give"),
    ],
)
def test_sizes_that_nothing_can_have(sizes: tuple[int, int], said: str):
    with pytest.raises(UndefinedBehavior, match=said):
        call(ARRAY, *sizes)
