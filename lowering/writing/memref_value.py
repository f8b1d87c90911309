"""
A value of memref type while LLVM IR is written: a descriptor in names, never in memory.

What the type, or the op that made it, fixes is a literal and not a name, so that LLVM
sees constant sizes and strides:

    memref<?x16xf32>  ->  aligned=%x.data, offset=0, sizes=(%x.size0, 16), strides=(16, 1)

Between functions and at joins of control flow it is a list of scalars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spmd.dialects.element_types import MemRefLayout


@dataclass(frozen=True, slots=True)
class MemRefValue:
    """A descriptor. Each field is an LLVM operand of type `ptr` or `i64`."""

    layout: MemRefLayout
    allocated: str
    """What `memref.dealloc` frees."""
    aligned: str
    """Where indices count from, before the offset is added."""
    offset: str
    sizes: tuple[str, ...]
    strides: tuple[str, ...]

    def with_layout(self, layout: MemRefLayout) -> MemRefValue:
        """The same memory seen through another type; what that fixes becomes literal."""
        return replace(
            self,
            layout=layout,
            offset=_fixed(layout.offset, self.offset),
            sizes=tuple(map(_fixed, layout.sizes, self.sizes)),
            strides=tuple(map(_fixed, layout.strides, self.strides)),
        )

    def parameters(self) -> list[str]:
        """All operands with their types, as between functions."""
        layout = free_layout(self.layout)
        names = component_names(layout)
        operands = replace(self, layout=layout).components()
        return [
            f"{type_} {operand}"
            for (type_, _), operand in zip(names, operands, strict=True)
        ]

    def components(self) -> list[str]:
        """The operands that the type does not fix, in the order of `component_types`."""
        layout = self.layout
        operands = [self.allocated, self.aligned]
        if layout.offset is None:
            operands.append(self.offset)
        operands += _unfixed(layout.sizes, self.sizes)
        operands += _unfixed(layout.strides, self.strides)
        return operands


def _fixed(known: int | None, operand: str) -> str:
    return operand if known is None else str(known)


def _unfixed(known: Sequence[int | None], operands: Sequence[str]) -> list[str]:
    return [
        operand for size, operand in zip(known, operands, strict=True) if size is None
    ]


def component_names(layout: MemRefLayout) -> list[tuple[str, str]]:
    """(LLVM type, suffix of a readable name) of each scalar that the type does not fix."""
    names = [("ptr", "base"), ("ptr", "data")]
    if layout.offset is None:
        names.append(("i64", "offset"))
    names += [("i64", f"size{d}") for d, s in enumerate(layout.sizes) if s is None]
    names += [("i64", f"stride{d}") for d, s in enumerate(layout.strides) if s is None]
    return names


def free_layout(layout: MemRefLayout) -> MemRefLayout:
    """A layout of the same rank that fixes nothing, as between functions."""
    unknown = (None,) * layout.rank
    return replace(layout, offset=None, sizes=unknown, strides=unknown)


def from_components(layout: MemRefLayout, operands: Sequence[str]) -> MemRefValue:
    """The inverse of `MemRefValue.components`."""
    rest = iter(operands)
    allocated, aligned = next(rest), next(rest)

    def fill(known: int | None) -> str:
        return next(rest) if known is None else str(known)

    offset = fill(layout.offset)
    sizes = tuple([fill(size) for size in layout.sizes])
    strides = tuple([fill(stride) for stride in layout.strides])
    return MemRefValue(layout, allocated, aligned, offset, sizes, strides)
