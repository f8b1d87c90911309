"""
Forwards which memref was chosen, and where its elements lie, instead of the memref.

A memref that is chosen at run time and used after a barrier is not kept in a context: it
is rematerialized, from the number of its *base* (a kernel argument, an allocation, a global)
and the offset, sizes and strides that its type leaves open. These are plain values, which
later passes prove uniform, rematerialize or store like all others, and private arrays show
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

In a kernel with sub-group operations no control flow forwards memrefs, with a barrier or
without: lanes that run in step, and take different paths, have only numbers to choose by.

A private array or a local one that is a base moves to the head of the kernel, where all
that may need it sees it.

Requires: no calls in kernels; verified IR.
Ensures: control flow with a barrier inside, branches between the blocks of a kernel, and
all control flow of a kernel with sub-group operations forward no memrefs; a memref that is
used after a barrier is a view of one that is known there, or an `arith.select` of such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.contexts.memref_phis import (
    Family,
    MemrefPhi,
    find_chosen_memrefs,
    viewed_by,
)
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import op_of
from spmd.dialects.rewriting import erase_dead_ops, hint, named
from spmd.dialects.spmd import KernelOp, needs_sub_groups
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.rematerialization.memref_bases import MemrefBases, number_type
from spmd.passes.rematerialization.memref_descriptors import (
    Descriptors,
    layout_of,
    open_numbers,
)
from spmd.passes.rematerialization.replace_forwarded import replace_forwarded


@dataclass(frozen=True)
class RematerializeMemrefsPass(ModulePass):
    """Numbers instead of memrefs across barriers; see the module docstring."""

    name = "rematerialize-memrefs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            rematerialize_memrefs(kernel)


def rematerialize_memrefs(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    in_step = any(map(needs_sub_groups, kernel.walk()))
    phis = find_chosen_memrefs(kernel, in_step)
    if phis:
        _Rebuilder(kernel, phis).rebuild()
        erase_dead_ops(kernel.body)


class _Rebuilder:
    def __init__(self, kernel: KernelOp, phis: Sequence[MemrefPhi]):
        entry = kernel.body.blocks[0]
        self.phis = phis
        self.bases = MemrefBases(entry)
        self.numbers: dict[SSAValue, dict[tuple[str, int], SSAValue]] = {}
        """The numbers of each memref that was rematerialized; ("base", 0) is that of its base."""

        self.phi_of: dict[SSAValue, MemrefPhi] = {}
        self.descriptors = Descriptors(ConstantPool(entry), self.numbers)
        self._which: dict[tuple[SSAValue, Family], SSAValue] = {}

    def rebuild(self) -> None:
        for phi in self.phis:
            for base in phi.bases:
                self.bases.let_dominate(base, phi)
        replace_forwarded(self.phis, self)

    def types_of(self, phi: MemrefPhi) -> list[Attribute]:
        return [type_ for _, type_ in self._kinds_of(phi)]

    def _kinds_of(self, phi: MemrefPhi) -> list[tuple[tuple[str, int], Attribute]]:
        """What is forwarded instead of the memref of `phi`."""
        layout = layout_of(phi.type, op_of(phi.values[0]))
        types: list[tuple[tuple[str, int], Attribute]] = [
            (key, IndexType()) for key in open_numbers(layout)
        ]
        if len(phi.bases) > 1:
            types.insert(0, (("base", 0), number_type(phi.family)))
        return types

    def rematerialize(
        self,
        old: SSAValue,
        phi: MemrefPhi,
        values: Sequence[SSAValue],
        anchor: Operation,
    ) -> SSAValue:
        keys = (key for key, _ in self._kinds_of(phi))
        numbers = dict(zip(keys, values, strict=True))
        for (kind, d), value in numbers.items():
            suffix = kind if kind in ("base", "offset") else f"{kind}{d}"
            hint(value, named(old, suffix))
        if not numbers and [base.type for base in phi.bases] == [phi.type]:
            # There is but one memref that it can be.
            return next(iter(phi.bases))
        if phi.bases:
            base = self.bases.memory_of(phi, numbers.get(("base", 0)), anchor)
            new = hint(self.descriptors.build(base, phi.type, numbers, anchor), old)
        else:
            new = Builder.before(anchor).add(ub.PoisonOp(phi.type), old)
        self.numbers[new] = numbers
        self.phi_of[new] = phi
        return new

    def give(
        self, value: SSAValue, phi: MemrefPhi, op: Operation
    ) -> Sequence[SSAValue]:
        given: list[SSAValue] = []
        for (kind, d), _ in self._kinds_of(phi):
            if kind == "base":
                given.append(self._which_base(value, phi.family))
            else:
                number = self.descriptors.number(value, kind, d, op)
                given.append(self.descriptors.value(number))
        return given

    def _which_base(self, memory: SSAValue, family: Family) -> SSAValue:
        """The number of the base of `memory`."""
        while True:
            if (phi := self.phi_of.get(memory)) is not None:
                number = self.numbers[memory].get(("base", 0))
                if number is not None:
                    return number
                return self.bases.number(family, next(iter(phi.bases), None))
            if isinstance(select := memory.owner, arith.SelectOp):
                return self._which_of(select, family)
            if isinstance(memory.owner, ub.PoisonOp):
                return self.bases.number(family, None)
            if not (viewed := viewed_by(memory)):
                return self.bases.number(family, memory)
            (memory,) = viewed

    def _which_of(self, select: arith.SelectOp, family: Family) -> SSAValue:
        key = select.result, family
        if (known := self._which.get(key)) is None:
            one = self._which_base(select.lhs, family)
            two = self._which_base(select.rhs, family)
            known = one
            if one is not two:
                op = arith.SelectOp(select.cond, one, two)
                known = Builder.before(select).add(op)
            self._which[key] = known
        return known
