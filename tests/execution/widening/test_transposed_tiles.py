"""Tiles that are transposed in registers compute what work-items do."""

from __future__ import annotations

import pytest

from tests.execution.harness import BOXES, PLANES, Launch, Maker, check_native

KERNEL = """
spmd.kernel @across(%a: memref<?x?xTYPE>, %b: memref<?xTYPE>, %c: memref<?x?xTYPE>,
                    %d: memref<?xTYPE>, %few: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %j = spmd.global_id y
  %k = spmd.global_id z
  %ny = spmd.global_size y
  %nz = spmd.global_size z
  %line = arith.muli %i, %ny : index
  %row = arith.addi %line, %j : index
  %plane = arith.muli %row, %nz : index
  %at = arith.addi %plane, %k : index
  %rest = arith.muli %j, %nz : index
  %place = arith.addi %rest, %k : index
  %u = memref.load %a[%i, %place] : memref<?x?xTYPE>
  memref.store %u, %c[%i, %place] : memref<?x?xTYPE>
  %some = memref.load %few[%j] : memref<?xindex>
  %odd = arith.remui %some, %c2 : index
  %is_odd = arith.cmpi ne, %odd, %c0 : index
  scf.if %is_odd {
    // The address follows from an element that some lanes alone have loaded.
    %from = memref.load %few[%k] : memref<?xindex>
    %far = arith.addi %row, %from : index
    %v = memref.load %d[%far] : memref<?xTYPE>
    %w = memref.load %b[%at] : memref<?xTYPE>
    memref.store %v, %b[%at] : memref<?xTYPE>
    memref.store %w, %c[%i, %place] : memref<?x?xTYPE>
  }
  spmd.return
}
"""

SHAPES = ((4, 4), (8, 4), (2, 8), (16, 16), (4, 1, 8), (2, 2, 4))


@pytest.mark.parametrize("type_", ["i8", "f32", "i1", "f64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_neighbours_across_rows(shape: tuple[int, ...], type_: str):
    number = SHAPES.index(shape)
    planes = (*PLANES, Launch((16, 35), (16, 16)))
    launch = BOXES[number % 2] if len(shape) == 3 else planes[number % len(planes)]

    def arguments(make: Maker):
        x, y, z = (*make.launch.global_size, 1, 1)[:3]
        random = make.random(type_, x * y * z)
        return [
            random.reshape(x, y * z),
            make.random(type_, x * y * z),
            make.zeros(type_, x, y * z),
            make.random(type_, x * y + 9),
            make.integers("index", 0, 9, max(y, z)),
        ]

    source = KERNEL.replace("TYPE", type_)
    check_native(source, arguments, launch, shape=shape, specialize=bool(number % 2))
    if shape == (4, 4):
        check_native(source, arguments, launch)
