"""
Passes on which memref was chosen, and where its elements lie, instead of the memref.

A memref that is chosen at run time and used behind a barrier is not kept in a context: it
is made again, from the number of its *base* (a kernel argument, an allocation, a global)
and the offset, sizes and strides that its type leaves open. These are plain values, which
later passes prove uniform, recompute or store like all others, and private arrays show
where they are used.

```mlir
// before
%r:2 = scf.for ... iter_args(%from = %a, %to = %b) -> (memref<64xf32>, memref<64xf32>) {
  ...
  spmd.barrier
  scf.yield %to, %from : memref<64xf32>, memref<64xf32>
}
// after: the number of %a is false, that of %b is true
%a_base, ... = memref.extract_strided_metadata %a : ...
%b_base, ... = memref.extract_strided_metadata %b : ...
%r:2 = scf.for ... iter_args(%from_base = %false, %to_base = %true) -> (i1, i1) {
  %base = arith.select %from_base, %b_base, %a_base : memref<f32>
  %from = memref.reinterpret_cast %base to offset: [0], sizes: [64], strides: [1] : ...
  ...
  spmd.barrier
  scf.yield %to_base, %from_base : i1, i1
}
```

A private array or a local one that is a base moves to the head of the kernel, where all
that may need it sees it.

Requires: no calls in kernels; verified IR.
Ensures: control flow with a barrier inside, and branches between the blocks of a kernel,
pass no memrefs on; a memref that is used behind a barrier is a view of one that is known
there, or an `arith.select` of such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, scf, ub
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.chosen_memrefs import (
    Family,
    Place,
    find_chosen_memrefs,
    passed_on,
    viewed_by,
)
from spmd.dialects.rewriting import (
    Constants,
    erase_dead_ops,
    hint,
    insert_before,
    locate,
)
from spmd.dialects.spmd import KernelOp
from spmd.passes.memref_bases import MemrefBases, number_type, op_of
from spmd.passes.memref_descriptors import Descriptors, layout_of


@dataclass(frozen=True)
class RebuildMemrefsPass(ModulePass):
    """Numbers instead of memrefs across barriers; see the module docstring."""

    name = "rebuild-memrefs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.block.ops:
            if isinstance(kernel, KernelOp):
                rebuild_memrefs(kernel)


def rebuild_memrefs(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    places = find_chosen_memrefs(kernel)
    if places:
        _Rebuilder(kernel, places).rebuild()
        erase_dead_ops(kernel.body)


class _Rebuilder:
    def __init__(self, kernel: KernelOp, places: Sequence[Place]):
        entry = kernel.body.blocks.first
        assert entry is not None, "a kernel has a body"
        self.places = places
        self.bases = MemrefBases(entry)
        self.numbers: dict[SSAValue, dict[tuple[str, int], SSAValue]] = {}
        """The numbers of each memref that was made again; ("base", 0) is that of its base."""

        self.place_of: dict[SSAValue, Place] = {}
        self.descriptors = Descriptors(Constants(entry), self.numbers)
        self._which: dict[tuple[SSAValue, Family], SSAValue] = {}
        self._now: dict[Operation, Operation] = {}

    def rebuild(self) -> None:
        for place in self.places:
            for base in place.bases:
                self.bases.let_dominate(base, place)
        of_result: dict[Operation, list[Place]] = {}
        for place in self.places:
            for value in place.values:
                if isinstance(value, OpResult):
                    of_result.setdefault(value.op, []).append(place)
                else:
                    self._rebuild_argument(value, place)
        for op, places in of_result.items():
            self._rebuild_results(op, places)
        passing: dict[Operation, list[tuple[int, int, Place]]] = {}
        for place in self.places:
            for op, group, position in place.edges:
                passing.setdefault(op, []).append((group, position, place))
        for op, operands in passing.items():
            self._pass_numbers_on(self._now.get(op, op), operands)

    # Places.

    def _types_of(self, place: Place) -> list[tuple[tuple[str, int], Attribute]]:
        """What is passed on instead of the memref of `place`."""
        layout = layout_of(place.type, op_of(place.values[0]))
        types: list[tuple[tuple[str, int], Attribute]] = [
            (key, IndexType()) for key in layout.open_numbers()
        ]
        if len(place.bases) > 1:
            types.insert(0, (("base", 0), number_type(place.family)))
        return types

    def _make_again(
        self,
        old: SSAValue,
        place: Place,
        values: Iterable[SSAValue],
        anchor: Operation,
    ) -> None:
        """Let a memref that is made of `values` in front of `anchor` replace `old`."""
        keys = (key for key, _ in self._types_of(place))
        numbers = dict(zip(keys, values, strict=True))
        for (kind, d), value in numbers.items():
            suffix = kind if kind in ("base", "offset") else f"{kind}{d}"
            hint(value, old.name_hint and f"{old.name_hint}_{suffix}")
        if not numbers and [base.type for base in place.bases] == [place.type]:
            # There is but one memref that it can be.
            old.replace_all_uses_with(next(iter(place.bases)))
            return
        if place.bases:
            base = self.bases.memory_of(place, numbers.get(("base", 0)), anchor)
            new = hint(self.descriptors.build(base, place.type, numbers, anchor), old)
        else:
            poison = ub.PoisonOp(place.type)
            insert_before(anchor, poison)
            new = hint(poison.result, old)
        self.numbers[new] = numbers
        self.place_of[new] = place
        old.replace_all_uses_with(new)

    def _rebuild_argument(self, old: SSAValue, place: Place) -> None:
        assert isinstance(old, BlockArgument)
        block = old.block
        new = [
            block.insert_arg(type_, len(block.args))
            for _, type_ in self._types_of(place)
        ]
        first = block.first_op
        assert first is not None, "a block has a terminator"
        self._make_again(old, place, new, first)
        block.erase_arg(old)

    def _rebuild_results(self, op: Operation, places: Sequence[Place]) -> None:
        chosen = {place.values[-1] for place in places}
        kept = [result for result in op.results if result not in chosen]
        types = [result.type for result in kept]
        for place in places:
            types += (type_ for _, type_ in self._types_of(place))
        new = type(op).create(
            operands=op.operands,
            result_types=types,
            properties=op.properties,
            attributes=op.attributes,
            regions=[op.detach_region(region) for region in tuple(op.regions)],
        )
        insert_before(op, new)
        for before, after in zip(kept, new.results, strict=False):
            before.replace_all_uses_with(hint(after, before))
        rest = iter(new.results[len(kept) :])
        for place in places:
            values = [next(rest) for _ in self._types_of(place)]
            self._make_again(place.values[-1], place, values, op)
        assert op.parent is not None
        op.parent.erase_op(op)
        self._now[op] = new

    # What is passed on.

    def _pass_numbers_on(
        self, op: Operation, operands: Sequence[tuple[int, int, Place]]
    ) -> None:
        """Let `op` pass on numbers in the place of some operands, behind the others."""
        groups = [list(values) for values in passed_on(op)]
        dropped = {(group, position) for group, position, _ in operands}
        lists = [
            [v for i, v in enumerate(values) if (group, i) not in dropped]
            for group, values in enumerate(groups)
        ]
        for group, position, place in operands:
            memory = groups[group][position]
            for (kind, d), _ in self._types_of(place):
                if kind == "base":
                    lists[group].append(self._which_base(memory, place.family))
                    continue
                number = self.descriptors.number(memory, kind, d, op)
                lists[group].append(self.descriptors.value(number))
        _let_pass_on(op, lists)

    def _which_base(self, memory: SSAValue, family: Family) -> SSAValue:
        """The number of the base of `memory`."""
        while True:
            if (place := self.place_of.get(memory)) is not None:
                number = self.numbers[memory].get(("base", 0))
                if number is not None:
                    return number
                return self.bases.number(family, next(iter(place.bases), None))
            if isinstance(select := memory.owner, arith.SelectOp):
                return self._which_of(select, family)
            if isinstance(memory.owner, ub.PoisonOp):
                return self.bases.number(family, None)
            if (source := viewed_by(memory)) is None:
                return self.bases.number(family, memory)
            memory = source

    def _which_of(self, select: arith.SelectOp, family: Family) -> SSAValue:
        key = select.result, family
        if (known := self._which.get(key)) is None:
            one = self._which_base(select.lhs, family)
            two = self._which_base(select.rhs, family)
            known = one
            if one is not two:
                op = arith.SelectOp(select.cond, one, two)
                insert_before(select, op)
                known = op.result
            self._which[key] = known
        return known


def _let_pass_on(op: Operation, groups: Sequence[Sequence[SSAValue]]) -> None:
    """Let `op` pass on these values, for each successor; the inverse of `passed_on`."""
    match op:
        case scf.ForOp():
            op.operands = (op.lb, op.ub, op.step, *groups[0])
        case scf.ConditionOp():
            op.operands = (op.condition, *groups[0])
        case cf.ConditionalBranchOp():
            ways = op.then_block, groups[0], op.else_block, groups[1]
            _put_in_place_of(op, cf.ConditionalBranchOp(op.cond, *ways))
        case cf.SwitchOp():
            new = cf.SwitchOp(
                op.flag,
                op.default_block,
                groups[0],
                op.case_values,
                op.case_blocks,
                groups[1:],
            )
            _put_in_place_of(op, new)
        case _:
            op.operands = groups[0]


def _put_in_place_of(op: Operation, new: Operation) -> None:
    locate(new, op)
    new.attributes = op.attributes
    block = op.parent
    assert block is not None, "a branch stands in a block"
    block.insert_op_before(new, op)
    block.erase_op(op)
