"""Views of memrefs, native against NumPy."""

from __future__ import annotations

import numpy as np

from tests.execution.lowering.native_functions import Array, NativeFunctions

# Copies every element of a two-dimensional view to a contiguous array.
COPY_OUT = """
  func.func private @copy_out(
      %v: memref<?x?xf32, strided<[?, ?], offset: ?>>, %out: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %v, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %n = memref.dim %v, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %e = memref.load %v[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
        memref.store %e, %out[%i, %j] : memref<?x?xf32>
      }
    }
    func.return
  }
"""


def view_of(view: str, type_: str, out_shape: tuple[int, ...], *numbers: int) -> Array:
    """What a view of the 6 x 8 numbers from 0 on holds; numbers are `%n0`, `%n1`, ..."""
    names = "".join(f", %n{k}: index" for k in range(len(numbers)))
    functions = NativeFunctions(f"""builtin.module {{ {COPY_OUT}
      func.func @f(%x: memref<6x8xf32>, %out: memref<?x?xf32>{names}) {{
        {view}
        %w = "memref.cast"(%v) : ({type_}) -> memref<?x?xf32, strided<[?, ?], offset: ?>>
        func.call @copy_out(%w, %out)
          : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) -> ()
        func.return
      }} }}""")
    out = np.zeros(out_shape, np.float32)
    functions("f", NUMBERS, out, *numbers)
    return out


NUMBERS = np.arange(48, dtype=np.float32).reshape(6, 8)


def test_subview_of_known_sizes():
    got = view_of(
        """%v = memref.subview %x[1, 2] [3, 2] [2, 3]
          : memref<6x8xf32> to memref<3x2xf32, strided<[16, 3], offset: 10>>""",
        "memref<3x2xf32, strided<[16, 3], offset: 10>>",
        (3, 2),
    )
    assert (got == NUMBERS[1::2, 2::3][:3, :2]).all()


def test_subview_of_unknown_sizes():
    got = view_of(
        """%v = memref.subview %x[%n0, %n1] [%n2, %n3] [%n4, 1] : memref<6x8xf32>
          to memref<?x?xf32, strided<[?, 1], offset: ?>>""",
        "memref<?x?xf32, strided<[?, 1], offset: ?>>",
        (2, 5),
        *(1, 3, 2, 5, 3),
    )
    assert (got == NUMBERS[1::3, 3:8]).all()


def test_subview_of_a_subview():
    got = view_of(
        """%u = memref.subview %x[1, 1] [5, 7] [1, 2] : memref<6x8xf32>
          to memref<5x7xf32, strided<[8, 2], offset: 9>>
        %v = memref.subview %u[%n0, 1] [2, 2] [2, 1]
          : memref<5x7xf32, strided<[8, 2], offset: 9>>
          to memref<2x2xf32, strided<[16, 2], offset: ?>>""",
        "memref<2x2xf32, strided<[16, 2], offset: ?>>",
        (2, 2),
        1,
    )
    assert (got == NUMBERS[1:, 1::2][1::2, 1:][:2, :2]).all()


def test_subview_that_drops_dimensions_of_size_one():
    got = view_of(
        """%u = memref.expand_shape %x [[0], [1, 2]] output_shape [6, 4, 2]
          : memref<6x8xf32> into memref<6x4x2xf32>
        %v = memref.subview %u[0, 2, 0] [6, 1, 2] [1, 1, 1]
          : memref<6x4x2xf32> to memref<6x2xf32, strided<[8, 1], offset: 4>>""",
        "memref<6x2xf32, strided<[8, 1], offset: 4>>",
        (6, 2),
    )
    assert (got == NUMBERS.reshape(6, 4, 2)[:, 2, :]).all()


def test_reinterpret_cast():
    got = view_of(
        """%v = memref.reinterpret_cast %x to offset: [%n0], sizes: [%n1, 3],
            strides: [%n2, 2] : memref<6x8xf32>
          to memref<?x3xf32, strided<[?, 2], offset: ?>>""",
        "memref<?x3xf32, strided<[?, 2], offset: ?>>",
        (4, 3),
        *(5, 4, 7),
    )
    flat = NUMBERS.reshape(-1)
    assert (
        got == [[flat[5 + 7 * i + 2 * j] for j in range(3)] for i in range(4)]
    ).all()


def test_strides_that_go_backwards():
    got = view_of(
        """%v = memref.reinterpret_cast %x to offset: [47], sizes: [6, 8],
            strides: [%n0, %n1] : memref<6x8xf32>
          to memref<6x8xf32, strided<[?, ?], offset: 47>>""",
        "memref<6x8xf32, strided<[?, ?], offset: 47>>",
        (6, 8),
        *(-8, -1),
    )
    assert (got == NUMBERS[::-1, ::-1]).all()


def test_expand_and_collapse_shape():
    got = view_of(
        """%u = memref.collapse_shape %x [[0, 1]] : memref<6x8xf32> into memref<48xf32>
        %d = memref.cast %u : memref<48xf32> to memref<?xf32>
        %v = memref.expand_shape %d [[0, 1]] output_shape [%n0, 4]
          : memref<?xf32> into memref<?x4xf32>""",
        "memref<?x4xf32>",
        (12, 4),
        12,
    )
    assert (got == NUMBERS.reshape(12, 4)).all()


def test_collapse_shape_keeps_a_stride():
    got = view_of(
        """%u = memref.reinterpret_cast %x to offset: [1], sizes: [%n0, 4, 1],
            strides: [8, 2, %n1] : memref<6x8xf32>
          to memref<?x4x1xf32, strided<[8, 2, ?], offset: 1>>
        %c = memref.collapse_shape %u [[0, 1, 2]]
          : memref<?x4x1xf32, strided<[8, 2, ?], offset: 1>>
          into memref<?xf32, strided<[?], offset: 1>>
        %v = memref.expand_shape %c [[0, 1]] output_shape [%n0, 4]
          : memref<?xf32, strided<[?], offset: 1>>
          into memref<?x4xf32, strided<[?, ?], offset: 1>>""",
        "memref<?x4xf32, strided<[?, ?], offset: 1>>",
        (5, 4),
        *(5, 1000),
    )
    assert (got == NUMBERS[:5, 1::2]).all()


def test_select_and_loop_carry_views():
    got = view_of(
        """%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %a = memref.subview %x[0, 0] [2, 2] [1, 1] : memref<6x8xf32>
          to memref<2x2xf32, strided<[8, 1]>>
        %b = memref.subview %x[4, 6] [2, 2] [1, 1] : memref<6x8xf32>
          to memref<2x2xf32, strided<[8, 1], offset: 38>>
        %ad = "memref.cast"(%a) : (memref<2x2xf32, strided<[8, 1]>>)
          -> memref<2x2xf32, strided<[8, 1], offset: ?>>
        %bd = "memref.cast"(%b) : (memref<2x2xf32, strided<[8, 1], offset: 38>>)
          -> memref<2x2xf32, strided<[8, 1], offset: ?>>
        %odd, %v = scf.for %i = %c0 to %n0 step %c1 iter_args(%p = %ad, %q = %bd)
            -> (memref<2x2xf32, strided<[8, 1], offset: ?>>,
                memref<2x2xf32, strided<[8, 1], offset: ?>>) {
          scf.yield %q, %p : memref<2x2xf32, strided<[8, 1], offset: ?>>,
            memref<2x2xf32, strided<[8, 1], offset: ?>>
        }""",
        "memref<2x2xf32, strided<[8, 1], offset: ?>>",
        (2, 2),
        3,
    )
    assert (got == NUMBERS[:2, :2]).all()


def test_a_strided_array_of_numpy_is_not_copied():
    functions = NativeFunctions("""
      func.func @f(%v: memref<?x?xf64, strided<[?, ?], offset: ?>>, %i: index, %j: index)
          -> f64 {
        %e = memref.load %v[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
        %t = arith.addf %e, %e : f64
        memref.store %t, %v[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
        func.return %e : f64
      }""")
    array = np.arange(48, dtype=np.float64).reshape(6, 8)
    view = array[::-2, 1::3]
    assert functions("f", view, 2, 1) == 12
    assert array[1, 4] == 24
