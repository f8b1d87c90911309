"""
Loops that carry the largest or smallest float carry an integer instead.

The integers are in the order of the floats (see `float_order.py`): their maximum is one
instruction where that of floats, which knows NaN and the sign of zero, is six, and LLVM
vectorizes a loop over them. What comes out is the same float.

```mlir
// before
%most = scf.for %i = %c0 to %n step %c1 iter_args(%m = %low) -> (f32) {
  %v = memref.load %x[%i] : memref<?xf32>
  %next = arith.maximumf %m, %v : f32
  scf.yield %next : f32
}
// after; the key of a value is five ops, and back it is as many
%low_key = ... %low : i32
%most_key = scf.for %i = %c0 to %n step %c1 iter_args(%m = %low_key) -> (i32) {
  %v = memref.load %x[%i] : memref<?xf32>
  %v_key = ... %v : i32
  %next = arith.maxsi %m, %v_key : i32
  scf.yield %next : i32
}
%most = ... %most_key : f32
```

A value that the loop needs for anything else than the next maximum stays a float, and so
does one that promises by `fastmath` to be no NaN and no zero that matters: its maximum is
one instruction. So is that of any float on Arm, where nothing changes.

Requires: `kernels-to-functions`.
Ensures: a legal kernel computes the same; which NaN comes out of several is not specified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import function_around, terminator
from spmd.dialects.interfaces.computation import fast_math_flags
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd.types import Kind, combine, kind_of
from spmd.passes.collectives.float_order import FloatOrder
from spmd.passes.targets import DEFAULT_TARGET, target_named


@dataclass(frozen=True)
class CarryFloatKeysPass(ModulePass):
    """Integers where loops carry extrema of floats; see the module docstring."""

    name = "carry-float-keys"

    target: str | int = DEFAULT_TARGET
    """Whose instructions count: a name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if target_named(self.target).has_maximum:
            return
        loops = [each for each in op.walk() if isinstance(each, scf.ForOp)]
        for loop in loops:
            for carried in loop.body.block.args[1:]:
                if steps := _steps(carried):
                    _carry_key(loop, carried, steps)


def _steps(carried: BlockArgument) -> list[Operation]:
    """The ops by which `carried` becomes the next value, if all are one kind of extremum."""
    if not FloatOrder.serves(Kind.MAX, carried.type):
        return []
    end = terminator(carried.block)
    steps: list[Operation] = []
    value: SSAValue = carried
    while (user := value.get_user_of_unique_use()) is not end:
        if user is None or user.parent is not end.parent or _is_one_instruction(user):
            return []
        kind = kind_of(user)
        if kind not in (Kind.MIN, Kind.MAX) or (
            steps and kind is not kind_of(steps[0])
        ):
            return []
        steps.append(user)
        value = user.results[0]
    return steps if end.operands[carried.index - 1] is value else []


def _is_one_instruction(op: Operation) -> bool:
    """Whether `op` may forget about NaN and the sign of zero."""
    needed = {FastMathFlag.NO_NANS, FastMathFlag.NO_SIGNED_ZEROS}
    return needed <= fast_math_flags(op)


def _carry_key(
    loop: scf.ForOp, carried: BlockArgument, steps: Sequence[Operation]
) -> None:
    """Make integers of `carried` and of what `steps` make of it."""
    number, type_ = carried.index - 1, carried.type
    kind = kind_of(steps[0])
    assert kind is not None, "see `_steps`"
    at = Builder.before(loop)
    constants = ConstantPool(function_around(loop).body.block)
    order = FloatOrder(kind, at.add, constants)
    loop.operands[3 + number] = hint(order.key(loop.iter_args[number]), carried)
    end = terminator(carried.block)
    value = key = _of_type(carried, order.key_type(type_))
    for step in steps:
        at.point = InsertPoint.before(step)
        (other,) = (operand for operand in step.operands if operand is not value)
        value = step.results[0]
        key = hint(at.add(combine(kind, key, order.key(other))), value)
    end.operands[number] = key
    for step in reversed(steps):
        Rewriter.erase_op(step)
    result = _of_type(loop.results[number], key.type)
    uses = tuple(result.uses)
    at.point = InsertPoint.after(loop)
    back = hint(order.value(result, type_), result)
    for use in uses:
        use.operation.operands[use.index] = back


_of_type = Rewriter.replace_value_with_new_type
