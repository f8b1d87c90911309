"""
Loops that clear the lowest bit of a number until none is left run as often as it has ones.

That is known before they run: they become counted loops, and what these add up needs no loop
(`solve-recurrences`). LLVM does so for scalar code (`LoopIdiomRecognize`), but not for lanes, which
leave the loop one by one. P. Wegner, "A technique for counting ones in a binary computer", 1960.

```mlir
// before: how many ones %v has
%n, %rest = scf.while (%a = %c0, %b = %v) : (i32, i32) -> (i32, i32) {
  %more = arith.cmpi ne, %b, %c0 : i32
  scf.condition(%more) %a, %b : i32, i32
} do {
^bb0(%a: i32, %b: i32):
  %less = arith.subi %b, %c1 : i32
  %next = arith.andi %b, %less : i32
  %one_more = arith.addi %a, %c1 : i32
  scf.yield %one_more, %next : i32, i32
}
// after; %rest is 0
%ones = math.ctpop %v : i32
%end = arith.index_castui %ones : i32 to index
%n, %last = scf.for %k = %c0 to %end step %c1 iter_args(%a = %c0, %b = %v) -> (i32, i32) {
  ...
}
```

Requires: nothing.
Ensures: no kernel has such a loop, whatever else it does.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, i64
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.passes import ModulePass

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.enclosing import terminator
from spmd.dialects.names import PREDICATES
from spmd.dialects.rewriting import constant_index, hint, replace
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in


@dataclass(frozen=True)
class CountBitsPass(ModulePass):
    """Counted loops in place of those that clear bits; see the module docstring."""

    name = "count-bits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            count_bits(kernel)


def count_bits(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    loops = [op for op in kernel.walk() if isinstance(op, scf.WhileOp)]
    for loop in loops:
        if (number := _cleared(loop)) is not None:
            _count(loop, number, ConstantPool(kernel.body.blocks[0]))


def _cleared(loop: scf.WhileOp) -> int | None:
    """Which of what `loop` carries loses a bit in each iteration, while it has any."""
    before, after = loop.before_region.block, loop.after_region.block
    test, end = before.first_op, terminator(before)
    if (
        not isinstance(test, arith.CmpiOp)
        or test.next_op is not end
        or PREDICATES[test.predicate.value.data] not in ("ne", "ugt")
        or constant_index(test.rhs) != 0
        or end.operands[0] is not test.result
    ):
        return None
    value, passed = test.lhs, end.operands[1:]
    if not isinstance(value, BlockArgument) or value.block is not before:
        return None
    if any(not isinstance(p, BlockArgument) or p.block is not before for p in passed):
        return None
    here = [arg for arg, p in zip(after.args, passed, strict=True) if p is value]
    following = terminator(after).operands[value.index]
    return value.index if any(_clears(following, arg) for arg in here) else None


def _clears(value: SSAValue, of: SSAValue) -> bool:
    """Whether `value` is `of` without its lowest one."""
    if not isinstance(op := value.owner, arith.AndIOp):
        return False
    sides = {op.lhs, op.rhs} - {of}
    if len(sides) != 1 or of not in op.operands:
        return False
    match sides.pop().owner:
        case arith.SubiOp(lhs=number, rhs=by):
            return number is of and constant_index(by) == 1
        case arith.AddiOp(lhs=number, rhs=by):
            return number is of and constant_index(by) == -1
        case _:
            return False


def _count(loop: scf.WhileOp, number: int, constants: ConstantPool) -> None:
    """Put a counted loop in the place of `loop`, which clears bits of the value `number`."""
    at, start = Builder.before(loop), loop.arguments[number]
    if start.type == IndexType():
        start = at.add(arith.IndexCastOp(start, i64))
    ones = at.add(math.CtPopOp(start), "ones")
    end = at.add(IndexCastUIOp(ones, IndexType()), "ones")
    carried = loop.arguments
    body = Block(arg_types=[IndexType(), *(each.type for each in carried)])
    hint(body.args[0], "k")
    passed = terminator(loop.before_region.block).operands[1:]
    places = [p.index for p in passed if isinstance(p, BlockArgument)]
    after = loop.after_region.block
    for argument, place in zip(after.args, places, strict=True):
        argument.replace_all_uses_with(hint(body.args[place + 1], argument))
    Builder.at_end(body).move(after.ops)
    index = constants.index
    new = scf.ForOp(index(0), end, index(1), carried, Region(body))
    new.attributes |= loop.attributes
    hint(new.res[number], "last")
    nothing = constants.number(0, carried[number].type)
    results = [nothing if place == number else new.res[place] for place in places]
    replace(loop, new, results)
