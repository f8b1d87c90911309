"""
An array of vectors is an array with one more dimension.

What a launch passes for `memref<?xvector<4xf32>>` is a NumPy array of n rows of four, and an
element of it is a row. Below this pass memory has scalars only.

```mlir
// before
spmd.kernel @square(%x: memref<?xvector<4xf32>>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xvector<4xf32>>
  %w = arith.mulf %v, %v : vector<4xf32>
  memref.store %w, %x[%i] : memref<?xvector<4xf32>>
  spmd.return
}
// after
spmd.kernel @square(%x: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %v = vector.load %x[%i, %c0] : memref<?x4xf32>, vector<4xf32>
  %w = arith.mulf %v, %v : vector<4xf32>
  vector.store %w, %x[%i, %c0] : memref<?x4xf32>, vector<4xf32>
  spmd.return
}
```

Requires: a verified module.
Ensures: no value is a memref of vectors. An op on such a memref that this pass does not know
is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Never

from xdsl.context import Context
from xdsl.dialects import func, memref, vector
from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from spmd.dialects.building import ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import block_arguments
from spmd.dialects.rewriting import hint, replace
from spmd.dialects.spmd import KernelOp, LaunchOp
from spmd.dialects.spmd.types import has_vectors


@dataclass(frozen=True)
class StoreVectorsAsRowsPass(ModulePass):
    """One more dimension in place of vectors in memory; see the module docstring."""

    name = "store-vectors-as-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [
            each
            for each in op.body.block.ops
            if isinstance(each, KernelOp | func.FuncOp)
        ]
        # Types first: what a launch passes is compared with what a kernel takes.
        touched = [(function, _retype(function)) for function in functions]
        for function, ops in touched:
            if ops:
                zero = ConstantPool(function.body.blocks[0]).index(0)
                for each in ops:
                    _rewrite(each, zero)


def _retype(function: KernelOp | func.FuncOp) -> Iterable[Operation]:
    """Gives arrays of vectors their new types; the ops that make or use one."""
    type_ = function.function_type
    function.function_type = FunctionType.from_lists(
        [_with_rows(each) for each in type_.inputs],
        [_with_rows(each) for each in type_.outputs],
    )
    ops = tuple(function.walk())
    values = [each for op in ops for each in (*op.results, *block_arguments(op))]
    touched: dict[Operation, None] = {}
    for array in values:
        if has_vectors(array.type):
            new = Rewriter.replace_value_with_new_type(array, _with_rows(array.type))
            touched |= dict.fromkeys(use.operation for use in new.uses)
            if isinstance(new.owner, Operation):
                touched[new.owner] = None
    return touched


def _rewrite(op: Operation, zero: SSAValue) -> None:
    """An op on arrays of vectors becomes one on rows."""
    match op:
        case memref.LoadOp() if isa(op.res.type, VectorType):
            load = vector.LoadOp(op.memref, (*op.indices, zero), op.res.type)
            load.nontemporal = op.nontemporal
            hint(load.result, op.res)
            replace(op, (load,), (load.result,))
        case memref.StoreOp() if isinstance(op.value.type, VectorType):
            indices = (*op.indices, zero)
            store = vector.StoreOp(op.value, op.memref, indices, op.nontemporal)
            replace(op, (store,), ())
        case memref.SubviewOp():
            (*_, length) = op.result.type.get_shape()
            op.static_offsets = _extended(op.static_offsets, 0)
            op.static_sizes = _extended(op.static_sizes, length)
            op.static_strides = _extended(op.static_strides, 1)
        case LaunchOp():
            op.argument_types = ArrayAttr(map(_with_rows, op.argument_types))
        case memref.CollapseShapeOp() | memref.ExpandShapeOp():
            _refuse(op)
        case _:
            try:
                op.verify(verify_nested_ops=False)
            except VerifyException:
                _refuse(op)


def _refuse(op: Operation) -> Never:
    fail(
        op,
        f"expected memref.load, store, subview, cast, dim or copy of an array of vectors, "
        f"got {op.name}: use an array with one more dimension",
    )


def _extended(numbers: DenseArrayBase[I64], last: int) -> DenseArrayBase[I64]:
    return DenseArrayBase.from_list(i64, (*numbers.get_values(), last))


def _with_rows(type_: Attribute) -> Attribute:
    """`type_`, or what an array of vectors becomes."""
    if not has_vectors(type_):
        return type_
    (length,) = type_.element_type.get_shape()
    shape = (*type_.get_shape(), length)
    layout = type_.layout
    if isinstance(layout, StridedLayoutAttr):
        strides = [_times(stride, length) for stride in layout.strides]
        layout = StridedLayoutAttr(
            (*strides, IntAttr(1)), _times(layout.offset, length)
        )
    return MemRefType(
        type_.element_type.element_type, shape, layout, type_.memory_space
    )


def _times(number: IntAttr | NoneAttr, factor: int) -> IntAttr | NoneAttr:
    return number if isinstance(number, NoneAttr) else IntAttr(number.data * factor)
