"""
Vectors of a work-item become scalars, each of which lanes have a vector of.

What a kernel calls `vector<4xf32>` is no vector register of a sub-group: with 16 lanes it is
four of them. So a value of n elements is n values; an access is n accesses side by side, which
`combine-strided-accesses` makes whole vectors of again. Compilers for GPUs call this
scalarization (Karrenberg and Hack, "Whole-Function Vectorization", 2011, 4.3).

```mlir
// before
scf.for %lx = %c0 to %c64 step %c1 {
  %i = arith.muli %lx, %c2 : index
  %v = vector.load %x[%i] : memref<?xf32>, vector<2xf32>
  %w = arith.mulf %v, %v : vector<2xf32>
  %sum = vector.reduction <add>, %w : vector<2xf32> into f32
  memref.store %sum, %y[%lx] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}
// after
scf.for %lx = %c0 to %c64 step %c1 {
  %i = arith.muli %lx, %c2 : index
  %v = memref.load %x[%i] : memref<?xf32>
  %i_1 = arith.addi %i, %c1 : index
  %v_1 = memref.load %x[%i_1] : memref<?xf32>
  %w = arith.mulf %v, %v : f32
  %w_1 = arith.mulf %v_1, %v_1 : f32
  %sum = arith.addf %w, %w_1 : f32
  memref.store %sum, %y[%lx] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}
```

A loop keeps its vectors, and becomes no lanes, where one of them fills a register by itself, or
an op is not known to be the same on elements.

Requires: level 1.
Ensures: level 1. A loop that changes has no value in it of a vector type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, cycle, islice
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, math, memref, scf, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import is_vector, memref_type, size_in_bytes
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.control_flow import RegionBranch, RegionTerminator
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd.types import Kind, combine
from spmd.passes.targets import DEFAULT_TARGET, target_named
from spmd.passes.work_item_loops.nests import innermost_loops, nest_around

AnyVector = VectorType[Attribute]
Parts = Sequence[SSAValue]

_KINDS = {"minsi": "min", "maxsi": "max", "minimumf": "min", "maximumf": "max"}
"""What collectives call kinds of `vector.reduction`, if by another name."""


@dataclass(frozen=True)
class SplitVectorsPass(ModulePass):
    """Scalars in place of vectors of work-items; see the module docstring."""

    name = "split-vectors"

    target: str | int = DEFAULT_TARGET
    """Whose registers count: a name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        register_bits = target_named(self.target).register_bits
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            for loop in innermost_loops(function):
                found = [each for each in loop.body.walk() if _has_vectors(each)]
                if found and all(
                    why_not_split(each, register_bits) is None for each in found
                ):
                    _Splitter(loop, function).block(loop.body.block)


def _has_vectors(op: Operation) -> bool:
    arguments = (block.args for region in op.regions for block in region.blocks)
    values = chain(op.operands, op.results, *arguments)
    return any(isinstance(value.type, VectorType) for value in values)


def why_not_split(op: Operation, register_bits: int) -> str | None:
    """
    Why `op`, which has vectors, is not to be one op on each element; `None` if it is.

    A vector that fills a register is as good as lanes.
    """
    for value in (*op.operands, *op.results):
        type_ = value.type
        if not is_vector(type_):
            continue
        if type_.get_num_dims() != 1:
            return f"{type_} has several dimensions"
        (length,) = type_.get_shape()
        if 8 * length * size_in_bytes(type_.element_type) >= register_bits:
            return f"{type_} fills a register"
    match op:
        case vector.LoadOp() | vector.StoreOp():
            return _why_not_side_by_side(op.base)
        case vector.ReductionOp() if _kind(op) is None:
            return f"the reduction is {op.kind.data}"
        case vector.InsertOp() if len(op.get_mixed_position()) != 1:
            return "several elements are inserted"
        case vector.ExtractOp() if len(op.get_mixed_position()) != 1:
            return "several elements are extracted"
        case vector.ReductionOp() | vector.InsertOp() | vector.ExtractOp():
            pass
        case vector.BroadcastOp() | vector.ShuffleOp() | vector.FMAOp():
            pass
        case _ if RegionBranch.of(op) is None and RegionTerminator.of(op) is None:
            elementwise = Elementwise.of(op)
            if elementwise is None or len(op.results) != 1:
                return f"{op.name} is not the same on elements"
        case _:
            pass
    return None


def _why_not_side_by_side(array: SSAValue) -> str | None:
    type_ = memref_type(array)
    if isinstance(type_.element_type, VectorType):
        return f"elements of {type_} are vectors"
    return None


def _kind(op: vector.ReductionOp) -> Kind | None:
    """How two elements are combined."""
    name = op.kind.data.value
    name = _KINDS.get(name, name)
    return Kind(name) if name in tuple(Kind) else None


class _Splitter:
    def __init__(self, loop: scf.ForOp, function: func.FuncOp):
        self._loop = loop
        self._constants = ConstantPool(function.body.block)
        self._parts: dict[SSAValue, Parts] = {}
        self._at = Builder.before(loop)

    def block(self, block: Block) -> None:
        """Split what stands in `block`, whose arguments are split."""
        old: list[Operation] = []
        for op in tuple(block.ops):
            if not _has_vectors(op):
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)
                continue
            self._at = Builder.before(op)
            self._split(op)
            old.append(op)
        for op in reversed(old):
            Rewriter.erase_op(op, safe_erase=False)

    def _split(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp():
                pass  # See `_of`.
            case vector.LoadOp():
                self._parts[op.result] = [
                    self._at.add(
                        _streamed(memref.LoadOp.get(op.base, at), op), op.result
                    )
                    for at in self._places(op.indices, op.result)
                ]
            case vector.StoreOp():
                parts = self._of(op.vector)
                places = self._places(op.indices, op.vector)
                for part, at in zip(parts, places, strict=True):
                    store = memref.StoreOp.get(part, op.base, at)
                    self._at.append(_streamed(store, op))
            case vector.BroadcastOp():
                self._parts[op.vector] = self._broadcast(op)
            case vector.ExtractOp():
                picked = self._extracted(self._of(op.vector), op)
                op.result.replace_all_uses_with(picked)
            case vector.InsertOp():
                self._parts[op.result] = self._inserted(op)
            case vector.ShuffleOp():
                both = (*self._of(op.v1), *self._of(op.v2))
                order = op.mask.get_values()
                self._parts[op.result] = [both[place] for place in order]
            case vector.FMAOp():
                each = zip(*map(self._of, op.operands), strict=True)
                self._parts[op.res] = [
                    self._at.add(math.FmaOp(*operands), op.res) for operands in each
                ]
            case vector.ReductionOp():
                op.dest.replace_all_uses_with(self._reduced(op))
            case _ if op.regions or RegionTerminator.of(op) is not None:
                self._control(op)
            case _:
                self._each(op)

    def _of(self, value: SSAValue) -> Parts:
        """The elements of a vector; of one from outside of the loop, taken there."""
        if (found := self._parts.get(value)) is not None:
            return found
        type_ = cast(AnyVector, value.type)
        (length,) = type_.get_shape()
        match value.owner:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as numbers):
                parts = [self._constants.get(each) for each in numbers.iter_attrs()]
            case _:
                at = Builder.before(nest_around(self._loop))
                parts = [
                    at.add(vector.ExtractOp(value, [i], type_.element_type), value)
                    for i in range(length)
                ]
        self._parts[value] = parts
        return parts

    def _places(
        self, indices: Iterable[SSAValue], value: SSAValue
    ) -> Iterable[Sequence[SSAValue]]:
        """The indices of each element of `value`, which begins at `indices`."""
        *outer, last = indices
        (length,) = cast(AnyVector, value.type).get_shape()
        for i in range(length):
            step = self._constants.index(i)
            place = self._at.add(arith.AddiOp(last, step), last) if i else last
            yield (*outer, place)

    def _broadcast(self, op: vector.BroadcastOp) -> Parts:
        if isinstance(op.source.type, VectorType):
            parts = self._of(op.source)
        else:
            parts = (op.source,)
        (length,) = op.vector.type.get_shape()
        return tuple(islice(cycle(parts), length))

    def _extracted(self, parts: Parts, op: vector.ExtractOp) -> SSAValue:
        (position,) = op.get_mixed_position()
        if isinstance(position, int):
            return parts[position]
        picked = parts[0]
        for i, part in enumerate(parts[1:], 1):
            is_it = self._is(position, i)
            picked = self._at.add(arith.SelectOp(is_it, part, picked), op.result)
        return picked

    def _inserted(self, op: vector.InsertOp) -> Parts:
        parts = list(self._of(op.dest))
        (position,) = op.get_mixed_position()
        if isinstance(position, int):
            parts[position] = op.source
            return parts
        return [
            self._at.add(
                arith.SelectOp(self._is(position, i), op.source, part), op.result
            )
            for i, part in enumerate(parts)
        ]

    def _is(self, position: SSAValue, number: int) -> SSAValue:
        constant = self._constants.number(number, IndexType())
        return self._at.add(arith.CmpiOp(position, constant, "eq"))

    def _reduced(self, op: vector.ReductionOp) -> SSAValue:
        kind = _kind(op)
        assert kind is not None, "see `why_not_split`"

        def step(total: SSAValue, part: SSAValue) -> SSAValue:
            following = combine(kind, total, part)
            if "fastmath" in following.properties:
                following.properties["fastmath"] = op.fastmath
            return self._at.add(following, op.dest)

        first = () if op.acc is None else (op.acc,)
        return reduce(step, (*first, *self._of(op.vector)))

    def _each(self, op: Operation) -> None:
        """`op` on each element; an operand that is no vector belongs to all."""
        (result,) = op.results
        type_ = cast(AnyVector, result.type)
        (length,) = type_.get_shape()
        parts: list[SSAValue] = []
        for i in range(length):
            operands = [
                self._of(each)[i] if isinstance(each.type, VectorType) else each
                for each in op.operands
            ]
            new = type(op).create(
                operands=operands,
                result_types=[type_.element_type],
                properties=op.properties,
                attributes=op.attributes,
            )
            parts.append(self._at.add(new, result))
        self._parts[result] = parts

    def _control(self, op: Operation) -> None:
        """`op`, which forwards all elements in place of a vector."""
        operands = [part for each in op.operands for part in self._all_of(each)]
        types = [each for result in op.results for each in _types(result)]
        regions = [op.detach_region(region) for region in tuple(op.regions)]
        new = type(op).create(
            operands=operands,
            result_types=types,
            regions=regions,
            properties=op.properties,
            attributes=op.attributes,
        )
        self._at.append(new)
        results = iter(new.results)
        for result in op.results:
            parts = [hint(next(results), result) for _ in _types(result)]
            if isinstance(result.type, VectorType):
                self._parts[result] = parts
            else:
                result.replace_all_uses_with(parts[0])
        for region in new.regions:
            for block in region.blocks:
                vectors = [a for a in block.args if isinstance(a.type, VectorType)]
                for argument in vectors:
                    self._parts[argument] = _split_argument(argument)
                self.block(block)
                for argument in vectors:
                    block.erase_arg(argument, safe_erase=False)

    def _all_of(self, value: SSAValue) -> Parts:
        return self._of(value) if isinstance(value.type, VectorType) else (value,)


def _streamed(
    new: memref.LoadOp | memref.StoreOp, old: vector.LoadOp | vector.StoreOp
) -> Operation:
    """`new`, of which it is known as of `old` whether the memory is needed again."""
    new.nontemporal = old.nontemporal
    return new


def _types(value: SSAValue) -> Sequence[Attribute]:
    """Those of the elements of `value`, or its own."""
    if not is_vector(value.type):
        return (value.type,)
    (length,) = value.type.get_shape()
    return (value.type.element_type,) * length


def _split_argument(argument: BlockArgument) -> Parts:
    """New arguments, which stand after `argument`."""
    block = argument.block
    return [
        hint(block.insert_arg(type_, argument.index + 1 + i), argument)
        for i, type_ in enumerate(_types(argument))
    ]
