"""
Lets control flow forward other values than it did.

A value that control flow forwards is rematerialized, where it arrives, from others that
are forwarded in its place, after all that stay.

```mlir
// before
%r = scf.for ... iter_args(%v = %first) -> (index) {
  ...
  scf.yield %next : index
}
// after: %v is made of %a and %b
%ra, %rb = scf.for ... iter_args(%a = %first_a, %b = %first_b) -> (index, i1) {
  %v = ...
  ...
  scf.yield %next_a, %next_b : index, i1
}
%r = ...
```
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder
from spmd.dialects.interfaces.control_flow import Operand, Phi, forwarded, set_forwarded
from spmd.dialects.rewriting import hint

PhiT = TypeVar("PhiT", bound=Phi)
PhiT_contra = TypeVar("PhiT_contra", bound=Phi, contravariant=True)


class Replacement(Protocol[PhiT_contra]):
    """What is forwarded in the place of values."""

    def types_of(self, phi: PhiT_contra) -> Sequence[Attribute]:
        """The types of what is forwarded instead."""
        ...

    def rematerialize(
        self,
        old: SSAValue,
        phi: PhiT_contra,
        values: Sequence[SSAValue],
        anchor: Operation,
    ) -> SSAValue:
        """Make before `anchor`, from what has arrived, what replaces `old`."""
        ...

    def give(
        self, value: SSAValue, phi: PhiT_contra, op: Operation
    ) -> Sequence[SSAValue]:
        """What `op` forwards instead of `value`, made before it."""
        ...


def replace_forwarded(phis: Sequence[PhiT], by: Replacement[PhiT]) -> None:
    """Let control flow forward other values at `phis`."""
    of_result: dict[Operation, list[PhiT]] = {}
    for phi in phis:
        for value in phi.values:
            if isinstance(value, OpResult):
                of_result.setdefault(value.op, []).append(phi)
                continue
            assert isinstance(value, BlockArgument)
            block = value.block
            new = [
                block.insert_arg(type_, len(block.args)) for type_ in by.types_of(phi)
            ]
            first = block.first_op
            assert first is not None, "a block has a terminator"
            value.replace_all_uses_with(by.rematerialize(value, phi, new, first))
            block.erase_arg(value)
    now = {op: _replace_results(op, own, by) for op, own in of_result.items()}
    passing: dict[Operation, dict[int, PhiT]] = {}
    for phi in phis:
        for op, position in phi.sources:
            passing.setdefault(now.get(op, op), {})[position] = phi
    for op, phi_at in passing.items():
        set_forwarded(op, [list(_given(group, phi_at, by)) for group in forwarded(op)])


def _replace_results(
    op: Operation, phis: Sequence[PhiT], by: Replacement[PhiT]
) -> Operation:
    """Replace `op` by one that has other results."""
    added = [type_ for phi in phis for type_ in by.types_of(phi)]
    new = _with_other_results(op, {phi.values[-1] for phi in phis}, added)
    rest = iter(new.results[len(new.results) - len(added) :])
    for phi in phis:
        old = phi.values[-1]
        values = [next(rest) for _ in by.types_of(phi)]
        old.replace_all_uses_with(by.rematerialize(old, phi, values, op))
    Rewriter.erase_op(op)
    return new


def _given(
    group: Sequence[Operand], phi_at: Mapping[int, PhiT], by: Replacement[PhiT]
) -> Iterator[SSAValue]:
    """What is forwarded to one successor: what stays, and then what replaces the rest."""
    yield from (each.value for each in group if each.position not in phi_at)
    for each in group:
        if (phi := phi_at.get(each.position)) is not None:
            yield from by.give(each.value, phi, each.op)


def _with_other_results(
    op: Operation, dropped: Container[SSAValue], added: Sequence[Attribute] = ()
) -> Operation:
    """A copy of `op`, before it and with its regions, that has other results."""
    kept = [result for result in op.results if result not in dropped]
    new = type(op).create(
        operands=op.operands,
        result_types=[*(result.type for result in kept), *added],
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(region) for region in tuple(op.regions)],
    )
    Builder.before(op).append(new)
    for before, after in zip(kept, new.results, strict=False):
        before.replace_all_uses_with(hint(after, before))
    return new


def forward_less(phis: Iterable[Phi]) -> None:
    """Let control flow no longer bring anything to `phis`, which are to be erased."""
    dropped: dict[Operation, set[int]] = {}
    for phi in phis:
        for op, position in phi.sources:
            dropped.setdefault(op, set()).add(position)
    for op, positions in dropped.items():
        kept = (
            [each.value for each in group if each.position not in positions]
            for group in forwarded(op)
        )
        set_forwarded(op, list(kept))


def erase_phis(phis: Iterable[Phi]) -> None:
    """Erase `phis`, which have no uses and no sources any more."""
    results: dict[Operation, set[SSAValue]] = {}
    for phi in phis:
        for value in phi.values:
            if isinstance(value, BlockArgument):
                value.block.erase_arg(value)
            elif isinstance(value, OpResult):
                results.setdefault(value.op, set()).add(value)
    for op, dropped in results.items():
        _with_other_results(op, dropped)
        Rewriter.erase_op(op)
