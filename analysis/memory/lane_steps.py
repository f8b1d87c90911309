"""
Which element each lane of a gather or scatter accesses, as a sum.

The position in the storage is `constant + step * lane + coefficient * value + ...`, where
lane 0 has `constant`. It is read off the arithmetic of the indices, so that accesses whose
sums differ in the constant alone are seen to be neighbours, however they were written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.utils.type import get_element_type_or_self

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.compat.memory import GatherOp, ScatterOp, StepOp
from spmd.dialects.element_types import memref_layout, memref_type
from spmd.dialects.rewriting import splat_number

LONGEST = 32
"""How many operations of an index are looked at; the rest counts as one value."""


@dataclass(frozen=True)
class Stretch:
    """The elements that all lanes of some accesses share the way to, but for a constant."""

    memory: SSAValue
    step: int
    """From one lane to the next, in elements; not 0."""

    terms: frozenset[tuple[SSAValue, int]]
    """The values that are the same in all lanes, with their coefficients."""

    rows: tuple[SSAValue, ...]
    """The indices along dimensions whose distances are known at run time only."""


@dataclass
class Sum:
    """A number as a constant, steps of lanes, and values with their coefficients."""

    constant: int = 0
    step: int = 0
    terms: Counter[SSAValue] = field(default_factory=Counter[SSAValue])
    is_known: bool = True
    """Whether lanes differ in nothing but `step`."""

    def add(self, value: SSAValue, coefficient: int) -> None:
        """Add `coefficient * value`, element by element if it is a vector."""
        worklist, looked_at = [(value, coefficient)], 0
        while worklist:
            value, coefficient = worklist.pop()
            looked_at += 1
            known = splat_number(value)
            owner = value.owner
            if known is not None:
                self.constant += coefficient * int(known)
                continue
            match owner:
                case vector.BroadcastOp():
                    worklist.append((owner.source, coefficient))
                case StepOp():
                    self.step += coefficient
                case arith.AddiOp() if looked_at < LONGEST and is_exact(owner):
                    worklist += [(owner.lhs, coefficient), (owner.rhs, coefficient)]
                case arith.SubiOp() if looked_at < LONGEST and is_exact(owner):
                    worklist += [(owner.lhs, coefficient), (owner.rhs, -coefficient)]
                case arith.MuliOp() if (
                    looked_at < LONGEST
                    and (scaled := _scaled(owner)) is not None
                    and is_exact(owner)
                ):
                    worklist.append((scaled[0], coefficient * scaled[1]))
                case arith.IndexCastOp() if extends(owner):
                    worklist.append((owner.input, coefficient))
                case _:
                    self.is_known &= not isinstance(value.type, VectorType)
                    self.terms[value] += coefficient


def lane_steps(op: GatherOp | ScatterOp) -> tuple[Stretch, int] | None:
    """
    What `op` accesses, and the constant of its sum; `None` if there is no fixed step.

    Distances of two constants of a stretch are exact modulo 2^64, as addresses are.
    """
    layout = memref_layout(memref_type(op.base))
    if layout is None:
        return None
    total, rows = Sum(), list[SSAValue]()
    for index, stride in zip(op.offsets, layout.strides, strict=True):
        if stride is None:
            rows.append(index)
        else:
            total.add(index, stride)
    if layout.strides[-1:] != (1,):
        return None
    total.add(op.indices, 1)
    if not total.is_known or total.step == 0:
        return None
    terms = frozenset(pair for pair in total.terms.items() if pair[1] != 0)
    return Stretch(op.base, total.step, terms, tuple(rows)), total.constant


def first_offset(op: GatherOp | ScatterOp) -> int | None:
    """What lane 0 adds to the last index of `op`, if it is a constant."""
    total = Sum()
    total.add(op.indices, 1)
    return total.constant if total.is_known and not total.terms else None


def _scaled(op: arith.MuliOp) -> tuple[SSAValue, int] | None:
    """The factor of a product that is no constant, and the one that is."""
    for value, factor in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if (number := splat_number(factor)) is not None:
            return value, int(number)
    return None


def _bits(value: SSAValue) -> int:
    return bit_width(get_element_type_or_self(value.type)) or 0


def is_exact(op: arith.SignlessIntegerBinaryOperationWithOverflow) -> bool:
    """Whether `op` computes what it says, modulo 2^64, as addresses are computed."""
    no_wrap = arith.IntegerOverflowFlag.NSW in op.overflow_flags.data
    return no_wrap or _bits(op.result) == 64


def extends(op: arith.IndexCastOp) -> bool:
    """Whether the result is the number that `op` is given, or the number of a lane."""
    if isinstance(op.input.owner, StepOp):
        return True
    return _bits(op.result) >= _bits(op.input)
