"""
Masked accesses of which all lanes may turn out to be active.

With AVX-512 or SVE a load or store under a mask costs what any other does. With AVX2 there
are no masks for elements of less than 32 bits: arguments are loaded whole where a page allows it,
all else is accessed lane by lane, each after a test (`lowering/masks/masked_access.py`); and a
store under a mask takes an AMD machine some twenty cycles (A. Fog, Instruction tables, 2025). But the masks of most sub-groups have all lanes, as those
inside of an image do. So what lies between the first and the last such access under one mask
is written twice, and without it where all lanes are active. ispc does the same (Pharr, Mark,
"ispc: A SPMD Compiler for High-Performance CPU Programming", 2012, section 5.4).

```mlir
// before
%v = vector.maskedload %x[%i], %inside, %zeros : memref<?xi8>, ...
vector.maskedstore %y[%i], %inside, %v : memref<?xi8>, ...

// after
%all = vector.reduction <and>, %inside : vector<32xi1> into i1
scf.if %all {
  %v = vector.load %x[%i] : memref<?xi8>, vector<32xi8>
  vector.store %v, %y[%i] : memref<?xi8>, vector<32xi8>
} else {
  %v = vector.maskedload %x[%i], %inside, %zeros : memref<?xi8>, ...
  vector.maskedstore %y[%i], %inside, %v : memref<?xi8>, ...
}
```

Where nothing but stores under the mask comes of it, lanes are also asked whether any of them
is active. The masks of what is left over at the end of a loop never have all lanes, but they are
the first ones: of a store of several registers all but one are then stored whole, or not at all.

```mlir
// before
vector.maskedstore %y[%i], %first, %v : memref<?xf32>, vector<32xi1>, vector<32xf32>

// after
%part = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7]
%whole = arith.cmpi sge, %count, %c8 : index
scf.if %whole {
  vector.store %part, %y[%i] : memref<?xf32>, vector<8xf32>
  // the other lanes, with %count - 8
} else {
  %some = arith.cmpi sgt, %count, %c0 : index
  scf.if %some {
    %rest = arith.minsi %count, %c7 : index
    %active = vector.create_mask %rest : vector<8xi1>
    vector.maskedstore %y[%i], %active, %part : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
}
```

Requires: level 4.
Ensures: level 4; the same accesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, scf, vector
from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr, VectorType, i1
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.memory.accesses import accesses_of
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool, reduction, shuffle
from spmd.dialects.element_types import size_in_bytes, vector_type
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.rewriting import hint, locate, splat_number
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS
from spmd.passes.memory.accesses.flattening import element_type
from spmd.passes.targets import DEFAULT_TARGET, Target, target_named

MOST_COPIES = 1024
"""Operations of one function that are written twice."""

AnyVector: TypeAlias = VectorType[Attribute]
Masked: TypeAlias = vector.MaskedLoadOp | vector.MaskedStoreOp


@dataclass(frozen=True)
class VersionMasksPass(ModulePass):
    """Accesses without masks where all lanes are active; see the module docstring."""

    name = "version-masks"

    target: str | int = DEFAULT_TARGET
    """A name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_named(self.target)
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                version_masks(function, target)


def is_dear(op: Operation, target: Target) -> bool:
    """Whether `op` costs much more than the same access without its mask, if it can do so."""
    return (
        isinstance(op, Masked)
        and _costs(op, target)
        and not _stores_first_registers(op, target)
        and _may_be_all(op.mask)
    )


def _costs(op: Masked, target: Target) -> bool:
    stores = isinstance(op, vector.MaskedStoreOp)
    value = op.value_to_store if stores else op.result
    price = target.masked_store if stores else target.masked_load
    return _bits_of(value) < price


def _bits_of(value: SSAValue) -> int:
    """How many bits an element has in memory."""
    return 8 * size_in_bytes(element_type(value))


def _lanes_of_register(value: SSAValue, target: Target) -> int:
    return target.register_bits // _bits_of(value)


def _stores_first_registers(op: Masked, target: Target) -> bool:
    """Whether `op` stores the first lanes of several registers, which counting tells."""
    if not isinstance(op, vector.MaskedStoreOp):
        return False
    (lanes,) = cast(AnyVector, op.value_to_store.type).get_shape()
    of_register = _lanes_of_register(op.value_to_store, target)
    return isinstance(op.mask.owner, vector.CreateMaskOp) and 1 < of_register < lanes


def version_masks(function: func.FuncOp, target: Target) -> None:
    """Do to one function what the pass does to all."""
    _write_twice(function, target)
    for op in [*function.walk()]:
        if (
            isinstance(op, vector.MaskedStoreOp)
            and _costs(op, target)
            and _stores_first_registers(op, target)
        ):
            width = _lanes_of_register(op.value_to_store, target)
            _store_by_registers(op, width, ConstantPool(function.body.block))


def _write_twice(function: func.FuncOp, target: Target) -> None:
    copies = 0
    worklist = [*function.body.blocks]
    while worklist:
        block = worklist.pop()
        for stretch in _stretches(block, target):
            copies += sum(1 for op in stretch for _ in op.walk())
            if copies > MOST_COPIES:
                return
            _version(stretch)
        for op in block.ops:
            asked = isinstance(op, scf.IfOp) and _asks_all(op.cond)
            for region in op.regions[:1] if asked else op.regions:
                worklist += region.blocks


def _asks_all(condition: SSAValue) -> bool:
    """Whether `condition` holds if all lanes are active: then others need not be asked."""
    op = condition.owner
    return isinstance(op, vector.ReductionOp) and (
        op.kind.data is CombiningKindFlag.AND and isinstance(op.dest.type, IntegerType)
    )


def _stretches(block: Block, target: Target) -> Iterator[list[Operation]]:
    """What lies between the first and the last access under one mask, of those that cost."""
    dear = {op: cast(Masked, op).mask for op in block.ops if is_dear(op, target)}
    last = {mask: op for op, mask in dear.items()}
    end: Operation | None = None
    stretch: list[Operation] = []
    for op in [*block.ops]:
        if end is None and op in dear:
            end = last[dear[op]]
        if end is not None:
            stretch.append(op)
        if op is end:
            yield stretch
            end, stretch = None, []


def _version(stretch: Sequence[Operation]) -> None:
    """Let `stretch`, which begins with a masked access, run without its mask if it can."""
    first = cast(Masked, stretch[0])
    mask = first.mask
    at = Builder.before(first)
    taken, otherwise = Block(), Block()
    copies = _copied(stretch, taken)
    inside = set(stretch)
    needed = [
        result
        for op in stretch
        for result in op.results
        if any(_ancestor(use.operation, first) not in inside for use in result.uses)
    ]
    every = at.add(reduction(mask, CombiningKindFlag.AND, i1), "all")
    types = [value.type for value in needed]
    choice = scf.IfOp(every, types, Region(taken), Region(otherwise))
    at.append(choice)
    for value, result in zip(needed, choice.results, strict=True):
        hint(result, value)
        value.replace_uses_with_if(
            result, lambda use: _ancestor(use.operation, first) not in inside
        )
    with at.into(taken):
        at.append(scf.YieldOp(*(copies[value] for value in needed)))
    _drop_mask(taken, mask)
    with at.into(otherwise):
        if not needed and all(_only_under(mask, op) for op in stretch):
            some = at.add(reduction(mask, CombiningKindFlag.OR, i1), "some")
            guarded = Block()
            at.append(scf.IfOp(some, (), Region(guarded)))
            with at.into(guarded):
                at.move(stretch)
                at.append(scf.YieldOp())
            at.append(scf.YieldOp())
        else:
            at.move(stretch)
            at.append(scf.YieldOp(*needed))


def _only_under(mask: SSAValue, op: Operation) -> bool:
    """Whether `op` has no effect but a store where `mask` holds, or no effect at all."""
    if isinstance(op, Masked):
        return mask in reachable([op.mask], _parts)
    accesses = accesses_of(op)
    return not (accesses.writes or accesses.unknown)


def _copied(stretch: Sequence[Operation], to: Block) -> dict[SSAValue, SSAValue]:
    """Copy `stretch` to a block; what its values are called there."""
    values: dict[SSAValue, SSAValue] = {}
    for op in stretch:
        copy = op.clone(values)
        for each in copy.walk():
            if MemoryAccess.of(each) is not None:
                each.attributes[ACCESS] = StringAttr("version")
        to.add_op(copy)
    return values


def _drop_mask(block: Block, mask: SSAValue) -> None:
    """Access everything in `block` that is under `mask` without it."""
    for op in [*block.walk()]:
        if isinstance(op, Masked) and op.mask is mask:
            if isinstance(op, vector.MaskedStoreOp):
                new = vector.StoreOp(op.value_to_store, op.base, [*op.indices])
            else:
                new = vector.LoadOp(
                    op.base, [*op.indices], cast(AnyVector, op.result.type)
                )
            new.attributes |= op.attributes
            locate(new, op)
            Rewriter.replace_op(op, new)


def _store_by_registers(
    store: vector.MaskedStoreOp, width: int, constants: ConstantPool
) -> None:
    """Store the first lanes by registers: whole ones, and the one that is left under a mask."""
    value = store.value_to_store
    (lanes,) = cast(AnyVector, value.type).get_shape()
    at = Builder.before(store)
    zero, step = constants.index(0), constants.index(width)
    count, (*outer, index) = (
        cast(Operation, store.mask.owner).operands[0],
        store.indices,
    )
    for first in range(0, lanes, width):
        part = at.add(shuffle(value, value, range(first, first + width)), value)
        whole = at.add(arith.CmpiOp(count, step, "sge"), "whole")
        taken, otherwise, last = Block(), Block(), Block()
        at.append(scf.IfOp(whole, (), Region(taken), Region(otherwise)))
        with at.into(otherwise):
            some = at.add(arith.CmpiOp(count, zero, "sgt"), "some")
            at.append(scf.IfOp(some, (), Region(last)), scf.YieldOp())
        with at.into(last):
            # What it is below says that not all lanes of the mask are active.
            below = at.add(arith.MinSIOp(count, constants.index(width - 1)), count)
            ones = vector_type(i1, width)
            active = at.add(vector.CreateMaskOp([below], ones), store.mask)
            rest = vector.MaskedStoreOp(store.base, [*outer, index], active, part)
            at.append(rest, scf.YieldOp())
        end = scf.YieldOp()
        at.point = InsertPoint.at_end(taken)
        at.append(vector.StoreOp(part, store.base, [*outer, index]), end)
        at.point = InsertPoint.before(end)
        if first + width < lanes:
            count = at.add(arith.SubiOp(count, step), count)
            index = at.add(arith.AddiOp(index, step), index)
    Rewriter.erase_op(store)


def _ancestor(op: Operation, like: Operation) -> Operation | None:
    """What `op` is part of, in the block of `like`."""
    return parent_block(like).find_ancestor_op_in_block(op)


def _may_be_all(mask: SSAValue) -> bool:
    """Whether `mask` is no constant, and may hold in the last lane."""
    for each in reachable([mask], _parts):
        match each.owner:
            case vector.CreateMaskOp(mask_dim_sizes=[count]):
                (lanes,) = cast(AnyVector, each.type).get_shape()
                if IntegerRanges().of(count).high < lanes:
                    return False
            case _:
                if splat_number(each) is not None:
                    return False
    return True


def _parts(mask: SSAValue) -> tuple[SSAValue, ...]:
    """Masks that all hold where `mask` does."""
    match mask.owner:
        case arith.SelectOp(cond=one, lhs=other) | arith.AndIOp(lhs=one, rhs=other):
            return one, other
        case _:
            return ()
