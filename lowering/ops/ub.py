"""`ub`: values and places that nothing depends on; and casts between equal types."""

from __future__ import annotations

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.dialects.ub import PoisonOp, UnreachableOp

from spmd.dialects.element_types import is_memref
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import TypeNotLowered


@emits(PoisonOp)
def _poison(writer: FunctionWriter, op: PoisonOp) -> None:
    result = op.results[0]
    count = len(writer.component_types(result))
    writer.set_components(result, ["poison"] * count)


@emits(UnreachableOp)
def _unreachable(writer: FunctionWriter, op: UnreachableOp) -> None:
    writer.emit("unreachable")


@emits(UnrealizedConversionCastOp)
def _cast(writer: FunctionWriter, op: UnrealizedConversionCastOp) -> None:
    if len(op.operands) != len(op.results):
        raise TypeNotLowered(
            f"expected as many results as operands ({len(op.operands)}), got "
            f"{len(op.results)}"
        )
    for operand, result in zip(op.operands, op.results, strict=True):
        if operand.type != result.type and (
            is_memref(operand.type)
            or is_memref(result.type)
            or writer.type_of(operand) != writer.type_of(result)
        ):
            raise TypeNotLowered(
                f"expected types that are the same in LLVM, got {operand.type} and "
                f"{result.type}"
            )
        writer.alias(result, operand)
