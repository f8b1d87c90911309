"""
`llvm`: the instructions that `lower-atomics` leaves, and others may use as well.

`inttoptr` and `getelementptr` with one index, `atomicrmw`, `cmpxchg`, and `extractvalue`
of the pair that it gives. The emitters go by name, because to import the dialect takes
longer than to compile most kernels, few of which need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute

from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits_named
from spmd.lowering.writing.types import TypeNotLowered, llvm_type, storage_bytes

if TYPE_CHECKING:
    from xdsl.dialects.llvm import ExtractValueOp, GEPOp, IntToPtrOp

    from spmd.dialects.compat.atomics import AtomicCmpXchgOp, AtomicRMWOp


@emits_named("llvm.inttoptr")
def _int_to_ptr(writer: FunctionWriter, op: IntToPtrOp) -> None:
    address = writer.get(op.input)
    writer.define(op.output, f"inttoptr {llvm_type(op.input.type)} {address} to ptr")


@emits_named("llvm.getelementptr")
def _get_element_ptr(writer: FunctionWriter, op: GEPOp) -> None:
    from xdsl.dialects.llvm import GEP_USE_SSA_VAL

    constants = op.rawConstantIndices.get_values()
    if len(constants) != 1:
        raise TypeNotLowered(f"expected one index, got {len(constants)}")
    if constants[0] == GEP_USE_SSA_VAL:
        (index,) = op.ssa_indices
        at = f"{llvm_type(index.type)} {writer.get(index)}"
    else:
        at = f"i32 {constants[0]}"
    inbounds = " inbounds" if op.inbounds is not None else ""
    writer.define(
        op.result,
        f"getelementptr{inbounds} {llvm_type(op.elem_type)}, ptr {writer.get(op.ptr)}, {at}",
    )


def _flags(op: AtomicRMWOp | AtomicCmpXchgOp) -> str:
    return " volatile" if op.volatile_ is not None else ""


def _scope(op: AtomicRMWOp | AtomicCmpXchgOp) -> str:
    return f' syncscope("{op.syncscope.data}")' if op.syncscope is not None else ""


def _alignment(op: AtomicRMWOp | AtomicCmpXchgOp, type_: Attribute) -> int:
    """Of the element; that of its size, without which the access would not be one step."""
    if isinstance(op.alignment, IntegerAttr):
        return op.alignment.value.data
    return storage_bytes(type_)


@emits_named("llvm.atomicrmw")
def _atomic_rmw(writer: FunctionWriter, op: AtomicRMWOp) -> None:
    from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS

    from spmd.dialects.compat.atomics import KINDS

    type_ = op.val.type
    kind = KINDS[op.bin_op.value.data].removeprefix("_")
    ordering = ATOMIC_ORDERING_KEYWORDS[op.ordering.value.data]
    writer.define(
        op.res,
        f"atomicrmw{_flags(op)} {kind} ptr {writer.get(op.ptr)}, {llvm_type(type_)} "
        f"{writer.get(op.val)}{_scope(op)} {ordering}, align {_alignment(op, type_)}",
    )


@emits_named("llvm.cmpxchg")
def _compare_exchange(writer: FunctionWriter, op: AtomicCmpXchgOp) -> None:
    from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS

    type_ = op.val.type
    text = llvm_type(type_)
    weak = " weak" if op.weak is not None else ""
    success, failure = (
        ATOMIC_ORDERING_KEYWORDS[ordering.value.data]
        for ordering in (op.success_ordering, op.failure_ordering)
    )
    writer.define(
        op.res,
        f"cmpxchg{weak}{_flags(op)} ptr {writer.get(op.ptr)}, "
        f"{text} {writer.get(op.cmp)}, {text} {writer.get(op.val)}"
        f"{_scope(op)} {success} {failure}, align {_alignment(op, type_)}",
    )


@emits_named("llvm.extractvalue")
def _extract_value(writer: FunctionWriter, op: ExtractValueOp) -> None:
    position = ", ".join(str(n) for n in op.position.get_values())
    writer.define(
        op.res,
        f"extractvalue {_aggregate(op.container.type)} {writer.get(op.container)}, "
        f"{position}",
    )


def _aggregate(type_: Attribute) -> str:
    from xdsl.dialects.llvm import LLVMStructType

    if isinstance(type_, LLVMStructType):
        return f"{{ {', '.join(map(_aggregate, type_.types))} }}"
    return llvm_type(type_)
