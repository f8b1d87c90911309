"""
A launch as a loop over its groups, in the host function that launches.

```mlir
// before
spmd.launch @k global(%n) of(%c64) (%x) : memref<?xf32>

// after
%groups = arith.ceildivui %n, %c64 : index
scf.for %gz = %c0 to %c1 step %c1 {
  scf.for %gy = %c0 to %c1 step %c1 {
    scf.for %gx = %c0 to %groups step %c1 {
      func.call @k(%x, %gx, %gy, %gz, %c64, %c1, %c1, %n, %c1, %c1) : (...) -> ()
    } {spmd.groups}
  } {spmd.groups}
} {spmd.groups}
```

A kernel with a version for full groups is called in that version where a group is full.
Sizes that are negative or beyond the limits of the language, or not those that the kernel
fixes, fail an assertion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.ranges.range_rules import most_items
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import size_in_bytes
from spmd.dialects.enclosing import function_around
from spmd.dialects.limits import (
    MAX_EXTENT,
    MAX_GROUP_SIZE,
    MAX_INDEX,
    MAX_LOCAL_BYTES,
)
from spmd.dialects.names import FEW_ITEMS, FULL_GROUPS
from spmd.dialects.rewriting import NO_WRAP, hint
from spmd.dialects.spmd import Extent, KernelOp, LaunchOp, LocalArgument
from spmd.dialects.work_groups import CACHE_LINE_ALIGNMENT, FULL_SUFFIX, GROUPS
from spmd.passes.work_item_loops.nests import nested_loops

_LETTERS = "xyz"


def lower_launch(launch: LaunchOp, kernels: Mapping[str, KernelOp]) -> None:
    """Replace `launch` by loops around calls of what will be its work-group function."""
    _Launch(launch, kernels).lower()


class _Launch:
    def __init__(self, launch: LaunchOp, kernels: Mapping[str, KernelOp]):
        self._at = Builder.before(launch)
        name = launch.kernel.root_reference.data
        self.launch = launch
        self.kernel = kernels[name]
        full = kernels.get(name + FULL_SUFFIX)
        self.full = (
            full if full is not None and FULL_GROUPS in full.attributes else None
        )
        self.constants = ConstantPool(function_around(launch).body.blocks[0])

    def lower(self) -> None:
        launch = self.launch
        enqueued = self._enqueued()
        groups, global_size = self._range(enqueued)
        arguments, allocations = self._arguments()
        self._loop(groups, enqueued, global_size, arguments)
        for allocation in allocations:
            self._at.append(memref.DeallocOp.get(allocation))
        Rewriter.erase_op(launch)

    def _require(self, condition: SSAValue, message: str) -> None:
        name = self.kernel.sym_name.data
        self._at.append(cf.AssertOp(condition, f"spmd.launch @{name}: {message}"))

    def _require_at_most(self, size: SSAValue, most: SSAValue, message: str) -> None:
        """A negative size is too large, too."""
        fits = self._at.add(arith.CmpiOp(size, most, "ule"))
        self._require(fits, message)

    def _product(
        self, before: SSAValue | None, size: SSAValue, most: SSAValue, message: str
    ) -> SSAValue:
        """`before`, if there is one, times `size`: both at most `most`, as it must be."""
        if before is None:
            return size
        product = self._at.add(arith.MuliOp(before, size))
        self._require_at_most(product, most, message)
        return product

    # Sizes.

    def _enqueued(self) -> list[SSAValue]:
        """The work-items per group, in each dimension."""
        fixed = self.kernel.group_size
        given = self._three(self.launch.group_size)
        if fixed is None:
            self._check_group_size(given)
            return given
        known = [self.constants.index(size) for size in fixed]
        words = " x ".join(map(str, fixed))
        for size, own in zip(given, known, strict=True):
            if size is own or not self.launch.group_size:
                continue
            equal = self._at.add(arith.CmpiOp(size, own, "eq"))
            self._require(
                equal, f"expected the group size {words} that the kernel fixes"
            )
        return known

    def _check_group_size(self, sizes: Sequence[SSAValue]) -> None:
        """Not empty, and not too large, which also keeps the arithmetic from wrapping."""
        one = self.constants.index(1)
        most = self.constants.index(MAX_GROUP_SIZE)
        message = f"expected at most {MAX_GROUP_SIZE} work-items in a group"
        items: SSAValue | None = None
        for size in sizes:
            if size is one:
                continue
            below = self._at.add(arith.SubiOp(size, one))
            fits = self._at.add(arith.CmpiOp(below, most, "ult"))
            self._require(fits, f"expected a group size from 1 to {MAX_GROUP_SIZE}")
            items = self._product(items, size, most, message)

    def _three(self, sizes: Sequence[SSAValue]) -> list[SSAValue]:
        one = self.constants.index(1)
        return [*sizes, *[one] * (3 - len(sizes))]

    def _range(
        self, enqueued: Sequence[SSAValue]
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        """The number of groups and of work-items, in each dimension."""
        most = self.constants.index(MAX_EXTENT)
        for size in self.launch.sizes:
            self._require_at_most(size, most, f"expected sizes from 0 to {MAX_EXTENT}")
        sizes = self._three(self.launch.sizes)
        groups: list[SSAValue] = []
        items: list[SSAValue] = []
        for d, (size, nominal) in enumerate(zip(sizes, enqueued, strict=True)):
            if self.launch.extent.data is Extent.GROUPS:
                groups.append(size)
                total = arith.MuliOp(size, nominal, overflow=NO_WRAP)
                items.append(self._at.add(total, f"items_{_LETTERS[d]}"))
            else:
                items.append(size)
                count = arith.CeilDivUIOp(size, nominal)
                groups.append(self._at.add(count, f"groups_{_LETTERS[d]}"))
        if FEW_ITEMS in self.kernel.attributes:
            few = self.constants.index(most_items(self.kernel))
            for total in items:
                self._require_at_most(total, few, f"the kernel has {FEW_ITEMS}")
        return groups, items

    # Arguments.

    def _arguments(self) -> tuple[list[SSAValue], list[SSAValue]]:
        """The arguments of the kernel, and what was allocated for them."""
        arguments: list[SSAValue] = []
        allocations: list[SSAValue] = []
        types = self.kernel.function_type.inputs
        for argument, type_ in zip(self.launch.kernel_arguments(), types, strict=True):
            if isinstance(argument, LocalArgument):
                self._check_local(argument)
                allocation = memref.AllocOp(
                    argument.size_values,
                    (),
                    argument.type,
                    CACHE_LINE_ALIGNMENT,
                )
                value = self._at.add(allocation, "local")
                allocations.append(value)
            else:
                value = argument
            if isinstance(type_, IndexType):
                self._check_index(value)
            if value.type != type_:
                # Only memory spaces may differ: none is global memory.
                cast_type = cast(MemRefType[Attribute], type_)
                value = self._at.add(memref.MemorySpaceCastOp(value, cast_type))
            arguments.append(value)
        return arguments, allocations

    def _check_index(self, value: SSAValue) -> None:
        range_ = IntegerRanges().of(value)
        if range_.low >= -MAX_INDEX and range_.high <= MAX_INDEX:
            return
        most = self.constants.index(MAX_INDEX)
        moved = self._at.add(arith.AddiOp(value, most))
        message = f"expected an index from {-MAX_INDEX} to {MAX_INDEX}"
        self._require_at_most(moved, self.constants.index(2 * MAX_INDEX), message)

    def _check_local(self, argument: LocalArgument) -> None:
        """Sizes that memory can be allocated for."""
        extents = argument.type.get_shape()
        fixed = size_in_bytes(argument.type.element_type)
        for extent in extents:
            fixed *= 1 if extent == DYNAMIC_INDEX else extent
        most = self.constants.index(MAX_LOCAL_BYTES // max(fixed, 1))
        message = f"expected at most {MAX_LOCAL_BYTES} bytes of local memory"
        elements: SSAValue | None = None
        for size in argument.size_values:
            negative = f"{message}, and sizes that are not negative"
            self._require_at_most(size, most, negative)
            elements = self._product(elements, size, most, message)

    # Loops.

    def _loop(
        self,
        groups: Sequence[SSAValue],
        enqueued: Sequence[SSAValue],
        global_size: Sequence[SSAValue],
        arguments: Sequence[SSAValue],
    ) -> None:
        zero, one = self.constants.index(0), self.constants.index(1)
        loops = nested_loops((zero, count, one) for count in reversed(groups))
        ids: list[SSAValue] = []
        for letter, loop in zip(_LETTERS, reversed(loops), strict=True):
            ids.append(hint(loop.body.block.args[0], f"g{letter}"))
            loop.attributes[GROUPS] = UnitAttr()
        body = loops[-1].body.block
        operands = (*arguments, *ids, *enqueued, *global_size)
        self._call(body, operands, ids, enqueued, global_size)
        body.add_op(scf.YieldOp())
        self._at.append(loops[0])

    def _call(
        self,
        body: Block,
        operands: Sequence[SSAValue],
        ids: Sequence[SSAValue],
        enqueued: Sequence[SSAValue],
        global_size: Sequence[SSAValue],
    ) -> None:
        """Call the version of the kernel that fits the group."""
        name = self.kernel.sym_name.data
        if self.full is None:
            body.add_op(func.CallOp(name, operands, ()))
            return
        full_name = self.full.sym_name.data
        if self.launch.extent.data is Extent.GROUPS:
            body.add_op(func.CallOp(full_name, operands, ()))
            return
        at, one = Builder.at_end(body), self.constants.index(1)
        is_full: SSAValue | None = None
        for id_, nominal, total in zip(ids, enqueued, global_size, strict=True):
            following = at.add(arith.AddiOp(id_, one, overflow=NO_WRAP))
            end = at.add(arith.MuliOp(following, nominal, overflow=NO_WRAP))
            fits = at.add(arith.CmpiOp(end, total, "ule"))
            is_full = fits if is_full is None else at.add(arith.AndIOp(is_full, fits))
        assert is_full is not None
        hint(is_full, "is_full")
        then = Block([func.CallOp(full_name, operands, ()), scf.YieldOp()])
        otherwise = Block([func.CallOp(name, operands, ()), scf.YieldOp()])
        body.add_op(scf.IfOp(is_full, (), [then], [otherwise]))
