"""
Which elements of memory neighbouring lanes access together.

| pattern      | lane `t` accesses                  | becomes                        |
| ------------ | ---------------------------------- | ------------------------------ |
| `UNIFORM`    | one element for all                | a scalar access                |
| `CONTIGUOUS` | element `i + t`                    | a vector access                |
| `REVERSED`   | element `i - t`                    | a vector access and a shuffle  |
| `STRIDED`    | element `i + s*t`, `s` maybe only known to be uniform | wide accesses, gather |
| `GATHER`     | any element                        | a gather or scatter            |

Elements are counted in the storage of the memref, whatever its rank and layout, and
through views of it: a row of a matrix is contiguous, a column is strided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.ranges.accessed import LARGEST_STEP, narrow_index
from spmd.analysis.shapes.shape import Shape
from spmd.dialects.element_types import memref_layout, memref_type, mixed_numbers
from spmd.dialects.interfaces.views import underlying_object


class Pattern(Enum):
    """How the elements that neighbouring lanes access lie to each other."""

    UNIFORM = auto()
    CONTIGUOUS = auto()
    REVERSED = auto()
    STRIDED = auto()
    GATHER = auto()


@dataclass(frozen=True)
class AccessPattern:
    """The elements that the lanes of one dimension access together."""

    pattern: Pattern

    stride: int | None
    """Elements from one lane to the next; `None` if they are not known."""

    private: bool
    """Whether every lane has storage of its own, in which the positions count."""

    def __str__(self) -> str:
        if self.pattern is not Pattern.STRIDED:
            return self.pattern.name.lower()
        return "strided" if self.stride is None else f"stride {self.stride}"


@dataclass(frozen=True)
class _Position:
    """Where in the storage the lanes are: elements from one to the next, if that is known."""

    stride: int | None = 0
    unknown_steps: bool = False
    """Whether there are steps of unknown uniform size beside."""

    def plus(self, other: _Position) -> _Position:
        unknown = self.unknown_steps or other.unknown_steps
        if self.stride is None or other.stride is None:
            return _Position(None, unknown)
        return _Position(self.stride + other.stride, unknown)


_START = _Position()


def _scaled(index: Shape, factor: int | None) -> _Position:
    """An index times the distance of two elements in its dimension."""
    if factor == 0:
        return _START
    if index.is_uniform or index.stride is None:
        return _Position(index.stride)
    if factor is None:
        return _Position(unknown_steps=True)
    return _Position(index.stride * factor)


def element_strides(memory: SSAValue) -> Sequence[int | None]:
    """Elements from one index to the next, per dimension; `None` if not static."""
    type_ = memref_type(memory)
    layout = memref_layout(type_)
    return (None,) * type_.get_num_dims() if layout is None else layout.strides


class _Addresses:
    """Positions in storage, in one dimension."""

    def __init__(self, divergence: Divergence, dim: int):
        self._divergence = divergence
        self._dim = dim

    def shape(self, value: int | SSAValue) -> Shape:
        if isinstance(value, int):
            return Shape.uniform(value)
        return self._divergence.shape(value, self._dim)

    def of_element(
        self, memory: SSAValue, indices: Sequence[SSAValue]
    ) -> _Position | None:
        """Where an element lies; `None` if even its storage may differ."""
        position = self.of_view(memory)
        if position is None:
            return None
        strides = element_strides(memory)
        for index, stride in zip(indices, strides, strict=True):
            position = position.plus(_scaled(self._index(index), stride))
        return position

    def _index(self, index: SSAValue) -> Shape:
        """The shape of an index, of which it is known that lanes access memory there."""
        number = narrow_index(index)
        if number is not None:
            steps = self.shape(number)
            if steps.stride is not None and 0 < steps.stride <= LARGEST_STEP:
                return Shape.strided(steps.stride, steps.alignment)
        return self.shape(index)

    def of_view(self, memory: SSAValue) -> _Position | None:
        """Where the first element of a view lies."""
        owner = memory.owner
        match owner:
            case memref.CastOp() | memref.MemorySpaceCastOp():
                return self.of_view(owner.source)
            case memref.ExpandShapeOp() | memref.CollapseShapeOp():
                return self.of_view(owner.src)
            case memref.SubviewOp():
                return self._of_subview(owner)
            case memref.AllocaOp() | memref.AllocOp():
                return _START
            case _:
                if self._divergence.shape(memory, self._dim).is_uniform:
                    return _START
                return None

    def _of_subview(self, view: memref.SubviewOp) -> _Position | None:
        position = self.of_view(view.source)
        if position is None:
            return None
        steps = mixed_numbers(view.static_strides, view.strides)
        if not all(self.shape(step).is_uniform for step in steps):
            return None
        offsets = mixed_numbers(view.static_offsets, view.offsets)
        strides = element_strides(view.source)
        for offset, stride in zip(offsets, strides, strict=True):
            position = position.plus(_scaled(self.shape(offset), stride))
        return position


def _is_private(divergence: Divergence, memory: SSAValue, dim: int) -> bool:
    base = underlying_object(memory)
    owner = base.owner
    return (
        isinstance(owner, memref.AllocaOp | memref.AllocOp)
        and divergence.root.is_ancestor(owner)
        and not divergence.shape(base, dim).is_uniform
    )


def access_pattern(
    divergence: Divergence, op: Operation, dim: int = 0
) -> AccessPattern:
    """
    The pattern of a `memref.load` or `memref.store` in one dimension of lanes.

    Any other access (of vectors, say) is a gather.
    """
    if not isinstance(op, memref.LoadOp | memref.StoreOp):
        return AccessPattern(Pattern.GATHER, None, private=True)
    private = _is_private(divergence, op.memref, dim)
    position = _Addresses(divergence, dim).of_element(op.memref, op.indices)
    if position is None or position.stride is None:
        return AccessPattern(Pattern.GATHER, None, private)
    if position.unknown_steps:
        return AccessPattern(Pattern.STRIDED, None, private)
    pattern = _PATTERNS.get(position.stride, Pattern.STRIDED)
    return AccessPattern(pattern, position.stride, private)


_PATTERNS = {0: Pattern.UNIFORM, 1: Pattern.CONTIGUOUS, -1: Pattern.REVERSED}
