"""Writes ops, each as its `Emission` says."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from spmd.dialects.diagnostics import KernelError, fail
from spmd.dialects.enclosing import enclosing, terminator
from spmd.dialects.interfaces.meaning import Emission
from spmd.dialects.spmd import SPMD
from spmd.dialects.spmd.atomics import AtomicOp
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.types import TypeNotLowered


def write_op(writer: FunctionWriter, op: Operation) -> None:
    """Writes one op."""
    emission = Emission.of(op)
    if emission is None:
        fail(op, why_not_lowered(op))
    try:
        emission.emit(writer, op)
    except TypeNotLowered as error:
        fail(op, f"{op.name} cannot be written as LLVM IR: {error}")
    except Exception as error:
        if isinstance(error, KernelError) or not _is_of_others(emission):
            raise
        raise KernelError(
            f"the Emission of {op.name} failed: {type(error).__name__}: {error}", op
        ) from error
    if _is_of_others(emission):
        for number, result in enumerate(op.results):
            if result.first_use is not None and not writer.knows(result):
                fail(op, f"the Emission of {op.name} does not define result {number}")


def _is_of_others(emission: Emission) -> bool:
    """Whether what goes wrong in it is for the author of a frontend to see."""
    return str(emission.emit.__module__).partition(".")[0] != "spmd"


def write_block(writer: FunctionWriter, block: Block) -> Operation:
    """Writes all ops of a block but its terminator, which is the result."""
    last = terminator(block)
    for op in block.ops:
        if op is last:
            break
        write_op(writer, op)
    return last


def _is_in_work_group_function(op: Operation) -> bool:
    """Whether `spmd-to-loops` has been here: what it leaves is for sub-groups."""
    function = enclosing(op, FuncOp)
    return function is not None and WORK_GROUP_FUNCTION in function.attributes


def why_not_lowered(op: Operation) -> str:
    """Why an op has no emitter, and what to do."""
    name = op.name
    if op.dialect_name() == SPMD.name:
        needed = "vectorize" if _is_in_work_group_function(op) else "spmd-to-loops"
        if isinstance(op, AtomicOp):
            needed = "lower-atomics"
        return f"{name} cannot be written as LLVM IR: run the pass {needed} first"
    if name == "builtin.unregistered":
        attribute = op.attributes.get("op_name__")
        name = getattr(attribute, "data", name)
    return (
        f"{name} cannot be written as LLVM IR: expected ops of the dialects func, arith, "
        "math, scf, cf, memref and vector, lowered as far as that, or with the interface "
        "Emission"
    )
