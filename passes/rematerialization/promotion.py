"""
Values in the place of elements of memory, in structured control flow.

What is loaded is what was stored last. Branches result in it, and loops carry it, where
somebody may still ask for it: a number that is written before it is read in each iteration
is carried by no loop.

Source: R. Cytron et al., *Efficiently Computing Static Single Assignment Form and the Control
Dependence Graph*, TOPLAS 1991; with structured control flow a walk does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import hint, locate, replace

PASSES_VALUES_ON = (scf.IfOp, scf.ForOp, scf.WhileOp)
"""Operations around accesses through which values of elements are followed."""


def why_not_followed(access: Operation, memory: SSAValue, top: Block) -> str | None:
    """Why the element of `memory` that `access` touches has no value below `top`."""
    if (
        not isinstance(access, memref.LoadOp | memref.StoreOp)
        or access.memref is not memory
    ):
        return f"{access.name} may look at any of its elements"
    block = access.parent
    while block is not top:
        around = block and block.parent_op()
        if not isinstance(around, PASSES_VALUES_ON):
            return f"{around.name if around else 'nothing'} does not pass values on"
        block = around.parent
    return None


@dataclass(frozen=True)
class _Flow:
    """What code does to elements, as sets of bits."""

    read: int = 0
    """Those whose value before it may be asked for."""
    written: int = 0
    """Those that it writes, whatever happens."""
    changed: int = 0
    """Those that it may write."""

    def then(self, other: _Flow) -> _Flow:
        """What is done by this code and `other` code after it."""
        return _Flow(
            self.read | other.read & ~self.written,
            self.written | other.written,
            self.changed | other.changed,
        )

    def perhaps(self) -> _Flow:
        """What is done by this code if it runs at all."""
        return _Flow(self.read, 0, self.changed)


class Promoter:
    """Replaces loads and stores of elements, each of which has a number, by values."""

    def __init__(self, accesses: Mapping[Operation, int], name: str | None = None):
        """What loops carry and branches result in has `name`, or that of the value before."""
        self._accesses = accesses
        self._name = name
        self._flows: dict[Operation, _Flow] = {}
        """Of accesses, and of operations around them, once they are asked for."""
        around = set[Operation]()
        for op in accesses:
            parent: Operation | None = op
            while parent is not None and parent not in around:
                around.add(parent)
                parent = parent.parent_op()
        self._touching = around

    def promote(self, top: Block, first: Sequence[SSAValue]) -> None:
        """Replace the accesses in `top`, which begins with the values `first`."""
        self._block(top, list(first), 0)

    def _block(
        self, block: Block, values: list[SSAValue], asked: int
    ) -> list[SSAValue]:
        """
        Replace accesses in `block`, which begins with `values`; what it ends with.

        The values of the elements in `asked` may be needed after it.
        """
        ops = [op for op in block.ops if op in self._touching]
        asked_after: list[int] = []
        for op in reversed(ops):
            asked_after.append(asked)
            flow = self._flow(op)
            asked = flow.read | asked & ~flow.written
        for op, asked in zip(ops, reversed(asked_after), strict=True):
            match op:
                case memref.LoadOp():
                    replace(op, (), (hint(values[self._accesses[op]], op.res),))
                case memref.StoreOp():
                    values[self._accesses[op]] = op.value
                    replace(op, ())
                case scf.IfOp():
                    self._branch(op, values, asked)
                case scf.ForOp():
                    self._counted(op, values, asked)
                case scf.WhileOp():
                    self._loop(op, values, asked)
                case _:
                    raise AssertionError(f"{op.name} does not pass values on")
        return values

    def _branch(self, op: scf.IfOp, values: list[SSAValue], asked: int) -> None:
        passed = list(_bits(self._flow(op).changed & asked))
        ends = [
            self._block(region.block, list(values), asked) if region.blocks else values
            for region in op.regions
        ]
        if not passed:
            return
        then, other = _detached(op)
        if not other.blocks:
            other.add_block(Block((scf.YieldOp(),)))
        for region, end in zip((then, other), ends, strict=True):
            _give(region.block, end, passed)
        types = [*op.result_types, *_types(values, passed)]
        new = scf.IfOp(op.cond, types, then, other)
        self._instead(op, new, values, passed)

    def _counted(self, op: scf.ForOp, values: list[SSAValue], asked: int) -> None:
        flow = self._flow(op)
        passed = list(_bits(flow.changed & (asked | flow.read)))
        self._carry(op.body.block, values, passed, asked | flow.read)
        if passed:
            (body,) = _detached(op)
            starts = (*op.iter_args, *(values[n] for n in passed))
            new = scf.ForOp(op.lb, op.ub, op.step, starts, body)
            self._instead(op, new, values, passed)

    def _loop(self, op: scf.WhileOp, values: list[SSAValue], asked: int) -> None:
        flow = self._flow(op)
        asked |= flow.read | self._block_flow(op.after_region.block).read
        passed = list(_bits(flow.changed & asked))
        for region in (op.before_region, op.after_region):
            self._carry(region.block, values, passed, asked)
        if passed:
            before, after = _detached(op)
            starts = (*op.arguments, *(values[n] for n in passed))
            types = [*op.result_types, *_types(values, passed)]
            new = scf.WhileOp(starts, types, before, after)
            self._instead(op, new, values, passed)

    def _carry(
        self, block: Block, values: list[SSAValue], passed: list[int], asked: int
    ) -> None:
        """Let `block` have the elements in `passed` as arguments, and give them on."""
        inside = list(values)
        for n in passed:
            argument = block.insert_arg(values[n].type, len(block.args))
            inside[n] = hint(argument, self._name or values[n].name_hint)
        _give(block, self._block(block, inside, asked), passed)

    def _instead(
        self,
        old: Operation,
        new: scf.IfOp | scf.ForOp | scf.WhileOp,
        values: list[SSAValue],
        passed: Sequence[int],
    ) -> None:
        """Put `new` in the place of `old`; its further results are the `passed` of `values`."""
        new.attributes = old.attributes
        locate(new, old)
        results: Sequence[SSAValue] = new.results
        kept = len(old.results)
        replace(old, new, results[:kept])
        for n, result in zip(passed, results[kept:], strict=True):
            values[n] = hint(result, self._name or values[n].name_hint)

    def _flow(self, op: Operation) -> _Flow:
        found = self._flows.get(op)
        if found is None:
            found = self._flows[op] = self._new_flow(op)
        return found

    def _new_flow(self, op: Operation) -> _Flow:
        match op:
            case memref.LoadOp():
                return _Flow(read=1 << self._accesses[op])
            case memref.StoreOp():
                bit = 1 << self._accesses[op]
                return _Flow(written=bit, changed=bit)
            case scf.IfOp():
                flows = [self._block_flow(r.block) for r in op.regions if r.blocks]
                then, other = (*flows, _Flow())[:2]
                return _Flow(
                    then.read | other.read,
                    then.written & other.written,
                    then.changed | other.changed,
                )
            case scf.ForOp():
                return self._block_flow(op.body.block).perhaps()
            case scf.WhileOp():
                before, after = (self._block_flow(r.block) for r in op.regions)
                return before.then(after.perhaps())
            case _:
                raise AssertionError(f"{op.name} does not pass values on")

    def _block_flow(self, block: Block) -> _Flow:
        flow = _Flow()
        for op in block.ops:
            if op in self._touching:
                flow = flow.then(self._flow(op))
        return flow


def _bits(of: int) -> Iterator[int]:
    """The numbers in a set of bits."""
    while of:
        lowest = of & -of
        yield lowest.bit_length() - 1
        of ^= lowest


def _types(values: Sequence[SSAValue], numbers: Iterable[int]) -> list[Attribute]:
    return [values[n].type for n in numbers]


def _detached(op: Operation) -> list[Region]:
    return [op.detach_region(region) for region in tuple(op.regions)]


def _give(block: Block, values: Sequence[SSAValue], passed: Sequence[int]) -> None:
    """Let the end of `block` give on those of `values` that are `passed`, too."""
    end = terminator(block)
    end.operands = (*end.operands, *(values[n] for n in passed))
