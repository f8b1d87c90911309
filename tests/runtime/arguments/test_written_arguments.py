"""Which arguments a kernel may write."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.spmd import KernelOp
from spmd.runtime.arguments.written_arguments import written_arguments
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse
from spmd.runtime.pipeline import called_functions

M = "memref<?xf32>"
HEAD = f"spmd.kernel @k(%a: {M}, %b: {M}, %p: i1) {{\n  %i = spmd.global_id x\n"
LOAD = f"  %v = memref.load %a[%i] : {M}\n"


def written(text: str) -> set[int]:
    module: ModuleOp = parse(SourceText("k.mlir", text))
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return set(written_arguments(kernel, called_functions(module, kernel)))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", set[int]()),
        (f"  memref.store %v, %b[%i] : {M}\n", {1}),
        (f"  memref.store %v, %a[%i] : {M}\n", {0}),
        (f'  "memref.copy"(%a, %b) : ({M}, {M}) -> ()\n', {1}),
        (
            f"  %s = memref.subview %b[%i][1][1] : {M} to "
            "memref<1xf32, strided<[1], offset: ?>>\n"
            "  %z = arith.constant 0 : index\n"
            "  memref.store %v, %s[%z] : memref<1xf32, strided<[1], offset: ?>>\n",
            {1},
        ),
        (
            f"  %s = scf.if %p -> ({M}) {{\n    scf.yield %a : {M}\n  }} else {{\n"
            f"    scf.yield %b : {M}\n  }}\n  memref.store %v, %s[%i] : {M}\n",
            {0, 1},
        ),
        (
            "  %o = arith.constant 1 : index\n"
            f"  %s = scf.for %j = %i to %i step %o iter_args(%m = %b) -> ({M}) {{\n"
            f"    memref.store %v, %m[%j] : {M}\n    scf.yield %m : {M}\n  }}\n",
            {1},
        ),
        (
            "  %o = arith.constant 1 : index\n"
            f"  %s = scf.for %j = %i to %i step %o iter_args(%m = %b) -> ({M}) {{\n"
            f"    scf.yield %m : {M}\n  }}\n  memref.store %v, %s[%i] : {M}\n",
            {1},
        ),
        (
            f"  %s:2 = scf.if %p -> ({M}, {M}) {{\n    scf.yield %a, %b : {M}, {M}\n"
            f"  }} else {{\n    scf.yield %a, %b : {M}, {M}\n  }}\n"
            f"  memref.store %v, %s#1[%i] : {M}\n",
            {1},
        ),
        (
            f"  cf.cond_br %p, ^s(%a : {M}), ^t(%b : {M})\n^s(%l: {M}):\n  spmd.return\n"
            f"^t(%m: {M}):\n  memref.store %v, %m[%i] : {M}\n",
            {1},
        ),
        (f"  cf.br ^e(%b : {M})\n^e(%m: {M}):\n  memref.store %v, %m[%i] : {M}\n", {1}),
        (
            "  %m, %o, %n, %s = memref.extract_strided_metadata %b : "
            f"{M} -> memref<f32>, index, index, index\n"
            "  memref.store %v, %m[] : memref<f32>\n",
            {1},
        ),
        (f"  %s = memref.assume_alignment %b, 64 : {M}\n", set[int]()),
        (
            f"  %s = memref.assume_alignment %b, 64 : {M}\n"
            f"  memref.store %v, %s[%i] : {M}\n",
            {1},
        ),
        (
            f'  %l = "memref.extract_aligned_pointer_as_index"(%b) : ({M}) -> index\n',
            {1},
        ),
    ],
)
def test_writes_are_followed(body: str, expected: set[int]):
    assert written(f"{HEAD}{LOAD}{body}  spmd.return\n}}") == expected


def test_writes_of_functions_count():
    text = (
        f"func.func private @g(%x: {M}, %y: {M}, %i: index) {{\n"
        f"  func.call @h(%y, %i) : ({M}, index) -> ()\n  func.return\n}}\n"
        f"func.func private @h(%x: {M}, %i: index) {{\n"
        "  %c = arith.constant 0.0 : f32\n"
        f"  memref.store %c, %x[%i] : {M}\n  func.return\n}}\n"
        f"{HEAD}  func.call @g(%a, %b, %i) : ({M}, {M}, index) -> ()\n"
        "  spmd.return\n}\n"
    )
    assert written(text) == {1}
