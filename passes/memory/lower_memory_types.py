"""
Gives memrefs the types that upstream MLIR knows.

* The memory space of local memory is 3; that of global and private memory is none.
* An array of `i1` is one of `i8`, with 0 for false and 1 for true; so are vectors of its elements.
* `spmd.local_alloc` is a `memref.alloca` of group memory in the entry block.

```mlir
// before
%flags = spmd.local_alloc : memref<64xi1, #spmd.memory<local>>
memref.store %p, %flags[%i] : memref<64xi1, #spmd.memory<local>>
// after
%flags = memref.alloca() {alignment = 64 : i64, spmd.group_memory} : memref<64xi8, 3 : i64>
%byte = arith.extui %p : i1 to i8
memref.store %byte, %flags[%i] : memref<64xi8, 3 : i64>
```

Requires: `kernels-to-functions`.
Ensures: no `#spmd.memory`, no memref of `i1` and no `spmd.local_alloc` is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    TensorType,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.dialects.building import Builder
from spmd.dialects.element_types import is_memref, is_vector
from spmd.dialects.enclosing import block_arguments, function_around
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.rewriting import locate, replace
from spmd.dialects.spmd import LOCAL, LocalAllocOp, MemoryAttr, PrefetchOp
from spmd.dialects.work_groups import aligned_alloca, mark_group_memory

LOCAL_SPACE = IntegerAttr(3, i64)
"""The memory space of local memory from level 1 on, as in LLVM's GPU back ends."""


def lowered_type(type_: Attribute) -> Attribute:
    """`type_` without our memory spaces and without arrays of `i1`."""
    if not isinstance(type_, MemRefType):
        return type_
    memref_type = cast(MemRefType[Attribute], type_)
    space = memref_type.memory_space
    element = memref_type.element_type
    if element != i1 and not isinstance(space, MemoryAttr):
        return memref_type
    if isinstance(space, MemoryAttr):
        space = LOCAL_SPACE if space == LOCAL else NoneAttr()
    return MemRefType(
        i8 if element == i1 else element, memref_type.shape, memref_type.layout, space
    )


@dataclass(frozen=True)
class LowerMemoryTypesPass(ModulePass):
    """Upstream memory spaces, bytes for bits; see the module docstring."""

    name = "lower-memory-types"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in tuple(op.walk()):
            if MemoryAccess.of(inner) is not None and any(
                map(_is_array, inner.operands)
            ):
                _access_bytes(inner)
        for inner in tuple(op.walk()):
            _lower(inner)


def _lower(op: Operation) -> None:
    match op:
        case LocalAllocOp():
            _allocate(op)
            return
        case PrefetchOp():
            replace(op, (op.upstream(),), ())
            return
        case memref.GlobalOp():
            _lower_global(op)
        case func.FuncOp():
            op.function_type = FunctionType.from_lists(
                [lowered_type(type_) for type_ in op.function_type.inputs],
                [lowered_type(type_) for type_ in op.function_type.outputs],
            )
        case _:
            pass
    for result in op.results:
        _retype(result)
    if isinstance(op, memref.MemorySpaceCastOp) and op.source.type == op.dest.type:
        replace(op, (), (op.source,))
        return
    for argument in block_arguments(op):
        _retype(argument)


def _retype(value: SSAValue) -> None:
    type_ = lowered_type(value.type)
    if type_ != value.type:
        Rewriter.replace_value_with_new_type(value, type_)


def _allocate(op: LocalAllocOp) -> None:
    """Local memory belongs to the work-group: it is allocated once, at the start."""
    alloca = mark_group_memory(aligned_alloca(lowered_type(op.memref.type)))
    locate(alloca, op)
    entry = function_around(op).body.blocks[0]
    anchor: Operation | None = entry.first_op
    while isinstance(anchor, arith.ConstantOp | memref.AllocaOp):
        anchor = anchor.next_op
    assert anchor is not None
    entry.insert_op_before(alloca, anchor)
    replace(op, (), (alloca.memref,))


def _is_array(value: SSAValue) -> bool:
    """Whether it is an array of `i1`."""
    type_ = value.type
    return is_memref(type_) and type_.element_type == i1


def _is_bits(value: SSAValue) -> bool:
    """Whether it is an `i1`, or a vector of them."""
    type_ = value.type
    return type_ == i1 or (is_vector(type_) and type_.element_type == i1)


def _access_bytes(op: Operation) -> None:
    """Let `op`, which accesses an array of `i1`, have bytes; `i1` are their lowest bits."""
    at = Builder.before(op)
    for place in _places_of_bits(op):
        bits = op.operands[place]
        op.operands[place] = at.add(
            arith.ExtUIOp.create(operands=[bits], result_types=[_bytes_like(bits.type)])
        )
    after = Builder(InsertPoint.after(op), op)
    for result in filter(_is_bits, op.results):
        name, type_ = result.name_hint, result.type
        byte = Rewriter.replace_value_with_new_type(result, _bytes_like(type_))
        byte.name_hint = None
        uses = tuple(byte.uses)
        truncate = arith.TruncIOp.create(operands=[byte], result_types=[type_])
        bit = after.add(truncate, name)
        for use in uses:
            use.operation.operands[use.index] = bit


def _places_of_bits(op: Operation) -> Sequence[int]:
    """Which operands of `op` are what is in memory, or could be; not the mask."""
    assert isinstance(op, IRDLOperation)
    names: list[str] = []
    for name, _ in op.get_irdl_definition().operands:
        operand = getattr(op, name)  # of several, none is a bit
        if isinstance(operand, SSAValue) and _is_bits(cast(SSAValue, operand)):
            names.append(name)
    places = [n for n, operand in enumerate(op.operands) if _is_bits(operand)]
    return [n for n, name in zip(places, names, strict=True) if name != "mask"]


def _bytes_like(type_: Attribute) -> Attribute:
    if is_vector(type_):
        return VectorType(i8, type_.shape, type_.scalable_dims)
    return i8


def _lower_global(op: memref.GlobalOp) -> None:
    type_ = cast(MemRefType[Attribute], lowered_type(op.type))
    if type_ == op.type:
        return
    values = op.initial_value
    if op.type.element_type == i1 and isinstance(values, DenseIntOrFPElementsAttr):
        numbers = [int(bool(number)) for number in values.get_values()]
        op.initial_value = DenseIntOrFPElementsAttr.from_list(
            TensorType(i8, type_.get_shape()), numbers
        )
    op.type = type_
