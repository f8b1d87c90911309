"""What the functions of one native entry have in common: the kernel, its versions, its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from spmd.dialects.element_types import is_memref
from spmd.dialects.work_groups import (
    GROUPS_BETWEEN_POLLS,
    fixed_group_size,
    group_order,
)
from spmd.lowering.entries.arguments import (
    ArgumentStruct,
    Field,
    argument_struct,
    load_field,
)
from spmd.lowering.writing.access import is_nontemporal
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.symbols import exported_symbol
from spmd.lowering.writing.types import TypeNotLowered

SIZES = 9
"""Trailing index arguments: group ids, enqueued local sizes, global sizes; x, y, z each."""


def has_scratch(function: FuncOp) -> bool:
    """Whether a work-group function takes scratch memory as its last argument."""
    inputs = function.function_type.inputs.data
    return bool(inputs) and is_memref(inputs[-1])


def own_argument_types(function: FuncOp) -> tuple[Attribute, ...]:
    """The types of the arguments that the kernel itself has."""
    inputs = function.function_type.inputs.data
    count = len(inputs) - SIZES - has_scratch(function)
    if count < 0:
        raise TypeNotLowered(
            f"expected a work-group function to end in {SIZES} arguments of type index, "
            f"got {len(inputs)} arguments"
        )
    return inputs[:count]


def stack_alignment(module: ModuleWriter, functions: Iterable[FuncOp]) -> str:
    """
    What makes the stack of code with vectors as aligned as these are.

    LLVM does not do so for registers that it has to save there: each would lie in two cache
    lines, which takes calls in loops twice their time.
    """
    size = module.machine.vector_bits // 8
    if size <= 16 or not any(
        isinstance(result.type, VectorType)
        for function in functions
        for op in function.walk()
        for result in op.results
    ):
        return ""
    return f" alignstack({size})"


@dataclass(frozen=True)
class EntryKernel:
    """A kernel that gets a native entry."""

    module: ModuleWriter
    function: FuncOp
    """Runs any group."""
    full: FuncOp | None
    """Runs full groups, if there is another function for them."""

    @property
    def name(self) -> str:
        """What the entry is called in LLVM."""
        return exported_symbol(self.function.sym_name.data)

    @property
    def entry_type(self) -> str:
        """What the entry returns."""
        return "zeroext i1" if self.module.reports else "void"

    @cached_property
    def order(self) -> Sequence[int]:
        """The dimensions in which groups are numbered, the fastest first."""
        return group_order(self.function)

    @cached_property
    def axes(self) -> list[str]:
        """The letters of `order`."""
        return ["xyz"[d] for d in self.order]

    @property
    def versions(self) -> list[FuncOp]:
        """The functions that run its groups."""
        return [self.function] if self.full is None else [self.function, self.full]

    @cached_property
    def reporting(self) -> list[FuncOp]:
        """The versions that report failures."""
        names = self.module.reporting
        return [each for each in self.versions if each.sym_name.data in names]

    @cached_property
    def struct(self) -> ArgumentStruct:
        """The struct of arguments."""
        types = own_argument_types(self.function)
        return argument_struct(types, reports=self.module.reports)

    @cached_property
    def groups_between_polls(self) -> int:
        """After how many groups there is a poll at the latest; 0 where there is none."""
        if self.struct.failed is None:
            return 0
        if self.reporting:  # Each group may end the launch.
            return 1
        counts = [each.attributes.get(GROUPS_BETWEEN_POLLS) for each in self.versions]
        return min(
            count.value.data if isinstance(count, IntegerAttr) else 1
            for count in counts
        )

    @property
    def streams(self) -> bool:
        """Whether it stores around the caches."""
        return any(
            isinstance(op, memref.StoreOp | vector.StoreOp) and is_nontemporal(op)
            for version in self.versions
            for op in version.walk()
        )

    def local_sizes(
        self, writer: FunctionWriter, dimensions: Sequence[int]
    ) -> list[str]:
        """The enqueued local sizes: constants if the kernel fixes them."""
        fixed = fixed_group_size(self.function)
        if fixed is not None:
            return [str(fixed[d]) for d in dimensions]
        return _loaded(writer, self.struct.sizes[:3], "e", dimensions)

    def global_sizes(
        self, writer: FunctionWriter, dimensions: Sequence[int]
    ) -> list[str]:
        """The global sizes."""
        return _loaded(writer, self.struct.sizes[3:], "n", dimensions)


def _loaded(
    writer: FunctionWriter,
    fields: Sequence[Field],
    hint: str,
    dimensions: Sequence[int],
) -> list[str]:
    return [load_field(writer, fields[d], hint + "xyz"[d]) for d in dimensions]
