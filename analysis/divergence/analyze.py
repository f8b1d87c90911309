"""
Which values are the same in all lanes, which are a fixed step apart, and which control
flow diverges.

```python
divergence = analyze_kernel(kernel)
divergence.shape(value)          # in x; `shape(value, 1)` in y
divergence.is_uniform(value)     # in all dimensions
divergence.is_divergent(loop)
print(divergence.why_varying(value))
```

*Which lanes.* A shape speaks of the lanes that execute the definition of a value
together, in the same iteration of every loop around it: they are the *active* lanes. In a
branch that only some lanes take, a uniform value is uniform among those; the others have
none. `all_active(op)` says whether neighbours always execute `op` together, so that
uniform means uniform over *all* lanes. Uniform does not mean that a value may be computed
earlier: a load stays after the stores before it.

*More dimensions.* A shape in y describes work-items that differ in y alone. Uniform in
all dimensions means that all active lanes agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.explanation import Explainer
from spmd.analysis.divergence.propagation import Propagation, Shapes
from spmd.analysis.divergence.unstructured import UnstructuredRegion
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.shape import UNIFORM, VARYING, Shape
from spmd.analysis.shapes.transfer import Lanes
from spmd.dialects.spmd import KernelOp, Scope, SubGroupOp
from spmd.dialects.work_groups import is_work_item_loop, work_item_dimension


@dataclass(frozen=True)
class Divergence:
    """The result of an analysis; it does not follow changes of the IR."""

    root: Operation
    """What was analysed: values from outside of it are uniform."""

    dimensions: int
    _shapes: Mapping[SSAValue, Shapes] = field(repr=False)
    _fixpoint: Propagation = field(repr=False)

    def shape(self, value: SSAValue, dim: int = 0) -> Shape:
        """
        The shape of a value in one dimension; varying if it is new or not known.

        In unstructured control flow a value may be seen in other iterations after a loop
        than inside; this is the shape that holds everywhere. `shape_at` knows better.
        """
        shapes = self._shapes.get(value)
        if shapes is not None:
            return shapes[dim]
        return VARYING if self._is_inside(value) else UNIFORM

    def shape_at(self, value: SSAValue, user: Operation, dim: int = 0) -> Shape:
        """The shape of a value as `user` sees it."""
        if value not in self._shapes or isinstance(value.type, MemRefType):
            return self.shape(value, dim)
        shape = self._fixpoint.seen(value, user)[dim]
        return VARYING if shape.is_undef else shape

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all active lanes have the same value, in all dimensions."""
        shapes = self._shapes.get(value)
        if shapes is None:
            return not self._is_inside(value)
        return all(shape.is_uniform for shape in shapes)

    def is_divergent(self, op: Operation, dim: int | None = None) -> bool:
        """Whether lanes diverge at `op`: a branch, or a loop they leave at different times."""
        flags = self._fixpoint.divergent.get(op)
        if flags is None:
            return False
        return any(flags) if dim is None else flags[dim]

    def all_active(self, op: Operation) -> bool:
        """Whether all lanes execute `op` together or none does."""
        dimensions = range(self.dimensions)
        return all(self._fixpoint.all_active(op, d) for d in dimensions)

    def why_varying(self, value: SSAValue) -> str:
        """The chain from a value to the id, load or loop that makes it varying."""
        return Explainer(self).why_varying(value)

    def why_divergent(self, op: Operation) -> str:
        """The chain from a divergent branch or loop to what makes it so."""
        return Explainer(self).why_divergent(op)

    def region_of(self, block: Block) -> UnstructuredRegion | None:
        """The unstructured control flow that a block is part of, if it is."""
        return self._fixpoint.home.get(block)

    def _is_inside(self, value: SSAValue) -> bool:
        owner = value.owner
        return owner is not self.root and self.root.is_ancestor(owner)


def _finished(propagation: Propagation) -> Divergence:
    propagation.run()
    return Divergence(
        propagation.root,
        len(propagation.lanes),
        propagation.finish(),
        propagation,
    )


def analyze_kernel(kernel: KernelOp, scope: Scope = Scope.WORK_GROUP) -> Divergence:
    """The work-items of a work-group, or of any sub-group of one, in x, y and z."""
    ranges = IntegerRanges()
    sizes = kernel.group_size or (None, None, None)
    lanes = [Lanes(d, sizes[d], scope, ranges) for d in range(3)]
    return _finished(Propagation(kernel, lanes, {}))


def analyze_sub_group(op: SubGroupOp) -> Divergence:
    """The lanes of a sub-group, in as many dimensions as it has."""
    ranges = IntegerRanges()
    extents = op.lane_shape
    # Lane 0 has the number 0, other first lanes of rows a multiple of their length.
    first = 0 if len(extents) == 1 else extents[0]
    lanes = [
        Lanes(
            d,
            extent,
            Scope.SUB_GROUP,
            ranges,
            Shape.strided(prod(extents[:d]), 1 if d else first),
        )
        for d, extent in enumerate(extents)
    ]
    seeds: dict[SSAValue, Shapes] = {
        argument: tuple(
            Shape.contiguous(ranges.of(base).divisor) if d == own else UNIFORM
            for d in range(len(extents))
        )
        for own, (argument, base) in enumerate(
            zip(op.body.block.args, op.bases, strict=True)
        )
    }
    return _finished(Propagation(op, lanes, seeds))


def analyze_work_items(nest: scf.ForOp) -> Divergence:
    """The work-items that a nest of work-item loops runs, in x, y and z."""
    ranges = IntegerRanges()
    extents: list[int | None] = [1, 1, 1]
    seeds: dict[SSAValue, Shapes] = {}
    for loop in filter(is_work_item_loop, nest.walk()):
        own = work_item_dimension(loop)
        lower, upper = ranges.of(loop.lb), ranges.of(loop.ub)
        step = ranges.of(loop.step)
        extents[own] = upper.high - lower.low
        variable = loop.body.block.args[0]
        stride = step.value
        along = (
            Shape.varying() if stride is None else Shape.strided(stride, lower.divisor)
        )
        across = Shape.uniform(ranges.of(variable).divisor)
        seeds[variable] = tuple(along if d == own else across for d in range(3))
    lanes = [Lanes(d, extents[d], Scope.WORK_GROUP, ranges) for d in range(3)]
    return _finished(Propagation(nest, lanes, seeds))


def analyses_of(module: Operation) -> Iterator[Divergence]:
    """
    One analysis for all there is in a module: kernels, nests of work-item loops (those
    that have not become sub-groups) and sub-groups.
    """
    work = list(module.regions)
    while work:
        for block in work.pop(0).blocks:
            for op in block.ops:
                if isinstance(op, KernelOp):
                    yield analyze_kernel(op)
                elif isinstance(op, SubGroupOp):
                    yield analyze_sub_group(op)
                elif is_work_item_loop(op) and not any(
                    isinstance(inner, SubGroupOp) for inner in op.walk()
                ):
                    yield analyze_work_items(op)
                else:
                    work.extend(op.regions)
