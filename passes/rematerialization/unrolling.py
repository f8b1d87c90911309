"""
Writes the iterations of a loop one after the other, with the integers that are known in each.

```mlir
// before
scf.for %i = %c0 to %c2 step %c1 {
  "use"(%i)
}
// after
"use"(%c0)
"use"(%c1)
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import has_no_effect, replace


class Unroller:
    """Writes the iterations of one loop before it, and replaces it by them."""

    def __init__(
        self,
        loop: scf.ForOp | scf.WhileOp,
        constants: ConstantPool,
        copied: Callable[[Operation, Operation], object] | None = None,
    ):
        """`copied` is told each operation of the loop with its copy."""
        self._loop = loop
        self._constants = constants
        self._copied = copied
        self._at = Builder.before(loop)
        self._values: dict[SSAValue, SSAValue] = {}
        """What values of the loop are called in the iteration that is written."""

    def unroll(self, iterations: list[IntegerRanges]) -> None:
        """Write out the `iterations`, of an `scf.while` also the last test."""
        loop = self._loop
        if isinstance(loop, scf.ForOp):
            carried = loop.iter_args
            for known in iterations:
                counter, *arguments = loop.body.block.args
                self._know(counter, known)
                carried = self._copy(loop.body.block, arguments, carried, known)
        else:
            carried = loop.arguments
            for known in iterations:
                before, after = loop.before_region.block, loop.after_region.block
                _, *carried = self._copy(before, before.args, carried, known)
                if known is not iterations[-1]:
                    carried = self._copy(after, after.args, carried, known)
        replace(loop, (), carried)

    def _copy(
        self,
        block: Block,
        arguments: Sequence[SSAValue],
        carried: Sequence[SSAValue],
        known: IntegerRanges,
    ) -> list[SSAValue]:
        """Write `block` for what is `carried` to its `arguments`; what it carries on."""
        for argument, value in zip(arguments, carried, strict=True):
            if not self._know(argument, known):
                self._values[argument] = value
        end = terminator(block)
        for op in block.ops:
            if op is end or (
                op.results
                and has_no_effect(op)
                and all(self._know(result, known) for result in op.results)
            ):
                continue
            copy = op.clone(self._values)
            self._at.append(copy)
            if self._copied is not None:
                self._copied(op, copy)
        return [self._values.get(value, value) for value in end.operands]

    def _know(self, value: SSAValue, known: IntegerRanges) -> bool:
        """Whether `value` is a known integer, which stands for it then."""
        if bit_width(value.type) is None:
            return False
        number = known.of(value).value
        if number is not None:
            self._values[value] = self._constants.number(number, value.type)
        return number is not None
