"""
The accesses of a kernel to its arguments, as relations between ids and elements.

An access belongs to the argument that its memory is a view of; its indices are those in the
whole array. Where an access is reached is the conjunction of the conditions around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue

from spmd.analysis.footprints.expressions import (
    UNKNOWN,
    Expression,
    Guard,
    Requirements,
    all_of,
)
from spmd.analysis.footprints.indices import Indices
from spmd.analysis.footprints.source_words import element_words, words_for
from spmd.analysis.footprints.view_indices import indices_in_source, sizes_of
from spmd.analysis.memory.accesses import accesses_of
from spmd.analysis.memory.polynomials import Alternative, Atom, Polynomial
from spmd.dialects.element_types import is_memref
from spmd.dialects.interfaces.control_flow import Forwarding
from spmd.dialects.interfaces.memory import MemoryAccess, MemoryHint
from spmd.dialects.interfaces.views import ViewLike, underlying_object, viewed_memory
from spmd.dialects.spmd import (
    AtomicCasOp,
    AtomicKind,
    AtomicRmwOp,
    KernelOp,
)
from spmd.dialects.spmd.types import is_local

NO_ARGUMENT = -1
"""In the place of the number of an argument: memory of the group, or a constant."""


class AccessKind(Enum):
    """What an access does to the elements."""

    READ = "read"
    WRITE = "write"
    REDUCE = "reduce"
    """An atomic update whose old value nobody needs: any order gives the same."""


@dataclass(frozen=True, eq=False)
class Relation:
    """The elements of one argument that an operation accesses."""

    op: Operation
    """It, or the condition both branches of which do so; one that updates is itself."""
    argument: int
    kind: AccessKind
    words: str
    """The access in words of the source: `x[i + 1]`."""

    indices: tuple[Polynomial, ...] | None
    """One per dimension; `None` if nothing is known, because of `cause`."""

    cause: str = ""
    reduction: AtomicKind | None = None
    guards: tuple[Guard, ...] = ()
    """The conditions around it, from the inside out."""

    requires: Requirements = ()
    """Of the indices, where the guards hold; those of guards stand there."""

    certain: bool = True
    """Whether the op accesses the one element that it names; else some of a view, or perhaps none."""


@dataclass(frozen=True)
class Relations:
    """The relations of one kernel, and what its numbers are called."""

    all: tuple[Relation, ...]
    indices: Indices = field(repr=False)


def relations_of(kernel: KernelOp) -> Relations:
    """The accesses of `kernel`, which calls no functions, to its arrays in global memory."""
    reader = _Reader(kernel)
    found = (relation for op in kernel.walk() for relation in reader.read(op))
    return Relations(_joined(found), reader.indices)


def _joined(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """With one relation for what both branches of a condition access."""
    found: dict[object, Relation] = {}

    def add(relation: Relation) -> None:
        key = _key(relation)
        same = found.get(key, relation)
        found[key] = replace(same, requires=all_of((same.requires, relation.requires)))

    for relation in relations:
        add(relation)
    deepest = max((len(each.guards) for each in found.values()), default=0)
    for depth in range(deepest, 0, -1):
        for key, one in list(found.items()):
            if len(one.guards) != depth or key not in found:
                continue
            if other := found.pop(_key(one, opposite=True), None):
                around = one.op.parent_op()
                assert around is not None, "the condition"
                both = all_of((found.pop(key).requires, other.requires))
                add(replace(one, op=around, guards=one.guards[1:], requires=both))
    return tuple(found.values())


def _key(relation: Relation, *, opposite: bool = False) -> object:
    """Equal for the same access in the same branch, or in the one beside it."""
    block, around = relation.op.parent, relation.op.parent_op()
    if (
        block is None
        or not isinstance(around, scf.IfOp)
        or relation.indices is None
        or relation.kind is AccessKind.REDUCE
    ):
        return None if opposite else relation
    indices = tuple(frozenset(index.terms.items()) for index in relation.indices)
    return (
        around,
        (block.parent is around.true_region) != opposite,
        relation.argument,
        relation.kind,
        relation.certain,
        indices,
    )


class _Reader:
    def __init__(self, kernel: KernelOp):
        self.indices = Indices(kernel)
        self._kernel = kernel
        entry = kernel.body.blocks[0]
        self._arrays = [
            argument
            for argument in entry.args
            if is_memref(argument.type) and not is_local(argument.type)
        ]

    def read(self, op: Operation) -> Iterator[Relation]:
        """The accesses of `op` itself."""
        memories = [v for v in op.operands if isinstance(v.type, MemRefType)]
        access = MemoryAccess.of(op)
        if not memories or isinstance(access, MemoryHint):
            return
        if access is not None:
            kinds = _kinds(op, access)
            for memory, kind in kinds:
                yield from self._access(op, access.indices(op), memory, kind)
        elif ViewLike.of(op) is None and Forwarding.of(op) is None:
            for memory in memories:
                for kind in (AccessKind.READ, AccessKind.WRITE):
                    yield from self._anything(op, memory, kind, f"{op.name}")

    def _access(
        self,
        op: Operation,
        indices: Sequence[SSAValue] | None,
        memory: SSAValue,
        kind: AccessKind,
    ) -> Iterator[Relation]:
        at: list[Expression] | None
        if indices is None:
            words, at = words_for(memory), self._everywhere_in(memory)
        else:
            words = element_words(memory, indices)
            at = [self.indices.of(index) for index in indices]
        base = memory
        while at is not None and (source := viewed_memory(base)) is not None:
            at = indices_in_source(base, at, self.indices.of)
            base = source
        argument = self._argument(base)
        if argument == NO_ARGUMENT:
            return
        if argument is None or at is None:
            owner = base.owner
            made = f" of {owner.name}" if isinstance(owner, Operation) else ""
            yield from self._anything(op, memory, kind, f"the memory{made}", words)
            return
        yield Relation(
            op,
            argument,
            kind,
            words,
            tuple(each.value for each in at),
            reduction=(
                op.kind.data
                if kind is AccessKind.REDUCE and isinstance(op, AtomicRmwOp)
                else None
            ),
            guards=self._reached(op),
            requires=all_of(each.requires for each in at),
            certain=indices is not None and not _may_fail(op, kind),
        )

    def _everywhere_in(self, memory: SSAValue) -> list[Expression] | None:
        """Any element of a view, which an op accesses as a whole."""
        found: list[Expression] = []
        sizes = sizes_of(memory, self.indices.of, self.indices.parameters)
        if sizes is None:
            return None
        for size in sizes:
            atom = Atom("any")
            here = Polynomial.of(atom)
            limits = (here, size.value - 1 - here)
            atom.alternatives = (Alternative(None, limits),)
            found.append(Expression(here, size.requires))
        return found

    def _argument(self, base: SSAValue) -> int | None:
        """The number of an array argument; `None` if it may be several."""
        if (
            isinstance(base, BlockArgument)
            and base.block is self._kernel.body.blocks[0]
        ):
            return base.index if base in self._arrays else NO_ARGUMENT
        if not isinstance(base.owner, Operation):
            return None
        view = ViewLike.of(base.owner)
        is_constant = view is not None and not view.sources
        if is_constant or accesses_of(base.owner).allocates:
            return NO_ARGUMENT
        return None

    def _anything(
        self,
        op: Operation,
        memory: SSAValue,
        kind: AccessKind,
        cause: str,
        words: str | None = None,
    ) -> Iterator[Relation]:
        """An access to any element of each argument that the memory may be."""
        words = words or words_for(memory)
        for array in self._may_be(memory):
            yield Relation(op, array.index, kind, words, None, cause)

    def _may_be(self, memory: SSAValue) -> Sequence[BlockArgument]:
        """The arguments that `memory` may be a view of: one, or any."""
        base = underlying_object(memory)
        argument = self._argument(base)
        if argument is None:
            return self._arrays
        return [array for array in self._arrays if array.index == argument]

    def _reached(self, op: Operation) -> tuple[Guard, ...]:
        """The conditions and loops around `op`."""
        guards: list[Guard] = []
        at = op
        while at is not self._kernel:
            block, around = at.parent, at.parent_op()
            region = None if block is None else block.parent
            assert around is not None, "it stands in the kernel"
            assert region is not None, "it stands in the kernel"
            match around:
                case _ if region.blocks[0] is not block:
                    guards.append(UNKNOWN)
                case KernelOp():
                    pass
                case scf.IfOp():
                    holds = region is around.true_region
                    guards.append(self.indices.guard(around.cond, holds))
                case scf.ForOp():
                    guards.append(self.indices.iterates(around))
                case _:
                    guards.append(UNKNOWN)
            at = around
        return tuple(guards)


def _kinds(
    op: Operation, access: MemoryAccess
) -> Iterator[tuple[SSAValue, AccessKind]]:
    """The memory that `op` accesses, and how."""
    if isinstance(op, AtomicRmwOp) and _is_reduction(op):
        yield op.memref, AccessKind.REDUCE
        return
    for memory in access.reads(op):
        yield memory, AccessKind.READ
    for memory in access.writes(op):
        yield memory, AccessKind.WRITE


def _may_fail(op: Operation, kind: AccessKind) -> bool:
    """Whether the access is not made if the element has another value than is expected."""
    return isinstance(op, AtomicCasOp) and kind is AccessKind.WRITE


def _is_reduction(op: AtomicRmwOp) -> bool:
    return op.kind.data is not AtomicKind.EXCHANGE and not op.old.uses
