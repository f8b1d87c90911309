"""
`linalg` ops on memrefs to `scf.parallel` over their parallel iterators.

The other iterators are loops inside, around which what an output accumulates is a value.
xDSL 0.74 has only a pass to loops that forgets which of them are parallel.

Requires: verified IR, `linalg` on memrefs. What is short for other ops becomes these first.
Ensures: no structured op of `linalg` is left.

```mlir
// before
linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)

// after
scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
  %first = memref.load %c[%i, %j] : memref<?x?xf32>
  %last = scf.for %k = %c0 to %l step %c1 iter_args(%sum = %first) -> (f32) {
    %x = memref.load %a[%i, %k] : memref<?x?xf32>
    %y = memref.load %b[%k, %j] : memref<?x?xf32>
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    scf.yield %next : f32
  }
  memref.store %last, %c[%i, %j] : memref<?x?xf32>
  scf.reduce
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    MemRefType,
    ModuleOp,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.transforms.lower_affine import insert_affine_map_ops

from spmd.dialects import compat
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import enclosing, function_around, terminator
from spmd.dialects.interfaces.expansion import expand_all
from spmd.dialects.spmd import KernelOp
from spmd.passes.work_item_loops.nests import nested_loops


@dataclass(frozen=True)
class LinalgToParallelLoopsPass(ModulePass):
    """Loops instead of `linalg` ops; see the module docstring."""

    name = "linalg-to-parallel-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat.ensure()
        expand_all(op)
        for inner in tuple(op.walk()):
            if isinstance(inner, LinalgStructuredOperation):
                _Loops(inner).write()


class _Loops(Builder):
    """One op while loops take its place."""

    def __init__(self, op: LinalgStructuredOperation):
        before = Builder.before(op)
        super().__init__(before.point, op)
        self.op = op
        if op.res or not all(
            isinstance(value.type, MemRefType) for value in op.outputs
        ):
            fail(
                op, f"expected {op.name} on memrefs, got tensors: bufferize them first"
            )
        function = enclosing(op, KernelOp) or function_around(op)
        self.constants = ConstantPool(function.body.blocks[0])
        self.maps = op.get_indexing_maps().data
        self.counters: dict[int, SSAValue] = {}
        """What the iterators are, by number."""

    def write(self) -> None:
        """Put loops in the place of the op."""
        op, zero, one = self.op, self.constants.index(0), self.constants.index(1)
        bounds = self._bounds()
        kinds = [each.data for each in op.get_iterator_types()]
        parallel = [n for n, kind in enumerate(kinds) if kind == IteratorType.PARALLEL]
        others = [n for n in range(len(kinds)) if n not in parallel]
        inner = [(zero, bounds[n], one) for n in others]
        if not parallel:
            self._write_inner(others, inner)
        else:
            body = Block(arg_types=[IndexType()] * len(parallel))
            self.counters.update(zip(parallel, body.args, strict=True))
            with self.into(body):
                self._write_inner(others, inner)
                self.append(scf.ReduceOp())
            upper = [bounds[n] for n in parallel]
            count = len(parallel)
            loop = scf.ParallelOp([zero] * count, upper, [one] * count, [body])
            self.append(loop)
        Rewriter.erase_op(op)

    def _bounds(self) -> list[SSAValue]:
        """The upper bounds of the iterators."""
        found: list[SSAValue] = []
        for source in self.op.get_loop_bound_sources():
            if source.dim_size != DYNAMIC_INDEX:
                found.append(self.constants.index(source.dim_size))
            else:
                dimension = self.constants.index(source.dim_index)
                found.append(self.add(memref.DimOp(source.operand, dimension), "n"))
        return found

    def _element(self, position: int) -> list[SSAValue]:
        """The indices by which an operand is accessed."""
        dims = [
            self.counters.get(n, self.constants.index(0)) for n in range(self._rank)
        ]
        ops, indices = insert_affine_map_ops(self.maps[position], dims, [])
        self.append(*ops)
        return indices

    @property
    def _rank(self) -> int:
        return self.op.get_num_loops()

    def _load(self, position: int) -> SSAValue:
        value = self.op.operands[position]
        if not isinstance(value.type, MemRefType):
            return value
        return self.add(memref.LoadOp.get(value, self._element(position)))

    def _write_inner(
        self,
        iterators: Sequence[int],
        bounds: Sequence[tuple[SSAValue, SSAValue, SSAValue]],
    ) -> None:
        """The loops over iterators that are not parallel, with the body of the op."""
        op = self.op
        outputs = range(len(op.inputs), len(op.operands))
        accumulated = [
            n for n in outputs if iterators and _ignores(self.maps[n], iterators)
        ]
        places = {n: self._element(n) for n in accumulated}
        initial = [
            self.add(memref.LoadOp.get(op.operands[n], places[n])) for n in accumulated
        ]
        loops = nested_loops(bounds, initial)
        for number, loop in zip(iterators, loops, strict=True):
            self.counters[number] = loop.body.block.args[0]
        carried = initial
        block = self.point.block
        if loops:
            self.append(loops[0])
            block = loops[-1].body.block
            carried = list(block.args[1:])
        known = dict(zip(accumulated, carried, strict=True))
        if loops:
            with self.into(block):
                final = self._write_body(known)
                self.append(scf.YieldOp(*(final[n] for n in accumulated)))
            for n, result in zip(accumulated, loops[0].results, strict=True):
                self.append(memref.StoreOp.get(result, op.operands[n], places[n]))
        else:
            self._write_body(known)

    def _write_body(self, accumulated: dict[int, SSAValue]) -> dict[int, SSAValue]:
        """One iteration; what it yields for the outputs that are accumulated."""
        op, source = self.op, self.op.body.block
        known: dict[SSAValue, SSAValue] = {}
        for n, argument in enumerate(source.args):
            if n in accumulated:
                known[argument] = accumulated[n]
            elif argument.first_use is not None:
                known[argument] = self._load(n)
        end = terminator(source)
        for inner in source.ops:
            if isinstance(inner, IndexOp):
                known[inner.result] = self.counters[inner.dim.value.data]
            elif inner is not end:
                self.append(inner.clone(known))
        final: dict[int, SSAValue] = {}
        for n, value in enumerate(end.operands, len(op.inputs)):
            result = known.get(value, value)
            if n in accumulated:
                final[n] = result
            else:
                target = op.operands[n]
                self.append(memref.StoreOp.get(result, target, self._element(n)))
        return final


def _ignores(map_: AffineMapAttr, iterators: Sequence[int]) -> bool:
    """Whether the element that `map_` gives is the same in all iterations of these."""
    return not map_.data.used_dims() & set(iterators)
