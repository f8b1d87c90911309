"""
Indices that wrap around in fewer bits than they have, such as `i & 31`.

LLVM's loop vectorizer takes them for consecutive as long as they do not wrap, and tests in
front of the loop that they do not. LLVM 20 to 22 leave the test of the narrower of two out
if the wider one passes its own (llvm-project issue 191382): for `a[i & 31]` and `b[i & 3]` in
a loop of 30 iterations it loads 30 elements of `b`, of which there may be 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, memref
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.rewriting import constant_index


def wrap_in_different_widths(function: FuncOp) -> bool:
    """Whether indices of accesses in `function` wrap around at two or more widths."""
    widths: set[int] = set()
    seen: set[SSAValue] = set()
    entry = function.body.blocks.first
    for op in function.walk():
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            continue
        worklist = [op.memref, *op.indices]
        while worklist:
            value = worklist.pop()
            if value in seen or value.owner is entry:
                continue
            seen.add(value)
            owner = value.owner
            if not isinstance(owner, Operation) or owner.regions:
                _note(bit_width(value.type), widths)
                worklist += _may_become(value)
            elif (bits := _wraps_at(owner)) is not None:
                _note(bits, widths)
            elif isinstance(owner, arith.TruncIOp | arith.IndexCastOp):
                _note(bit_width(owner.results[0].type), widths)
                worklist += owner.operands
            elif FunctionOfOperands.of(owner) is not None:
                worklist += owner.operands
            if len(widths) > 1:
                return True
    return False


def _may_become(value: SSAValue) -> Iterator[SSAValue]:
    """What control flow may pass on as `value`, and all else of its type that it passes on."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    assert op is not None, "a block stands in an operation"
    passed = list(op.operands)
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is not None:
                passed += block.last_op.operands
    return (other for other in passed if other.type == value.type)


def _note(bits: int | None, widths: set[int]) -> None:
    if bits is not None and bits < 64:
        widths.add(bits)


def _wraps_at(op: Operation) -> int | None:
    """How many bits a mask, or the remainder of a power of two, leaves of a number."""
    if isinstance(op, arith.AndIOp):
        masks = [constant_index(op.lhs), constant_index(op.rhs)]
        known = [mask for mask in masks if mask is not None and mask >= 0]
        return min(known).bit_length() if known else None
    if isinstance(op, arith.RemUIOp):
        divisor = constant_index(op.rhs)
        if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
            return divisor.bit_length() - 1
    return None
