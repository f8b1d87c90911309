"""Indices as polynomials in the values that they are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, vector
from xdsl.ir import SSAValue

from spmd.analysis.memory.lane_steps import extends, is_exact
from spmd.analysis.memory.polynomials import Atom, Polynomial
from spmd.dialects.rewriting import splat_number

_LONGEST = 16
"""Sums of more products count as one value."""


@dataclass(eq=False)
class ValueAtom(Atom):
    """A value that is no sum or product."""

    value: SSAValue = field(kw_only=True)


@dataclass
class Sums:
    """Polynomials of values, modulo 2^64, as addresses are computed."""

    _known: dict[SSAValue, Polynomial] = field(
        default_factory=dict[SSAValue, Polynomial]
    )

    def of(self, value: SSAValue) -> Polynomial:
        """What `value` is, as far as it is the sum and product of others."""
        waiting = [value]
        while waiting:
            first = waiting[-1]
            if first in self._known:
                waiting.pop()
                continue
            operands = _operands(first)
            unknown = [each for each in operands if each not in self._known]
            if unknown:
                waiting += unknown
                continue
            known = self._read(first, [self._known[each] for each in operands])
            if known is None or len(known.terms) > _LONGEST:
                known = Polynomial.of(ValueAtom(first.name_hint or "", value=first))
            self._known[first] = known
        return self._known[value]

    def _read(
        self, value: SSAValue, operands: Sequence[Polynomial]
    ) -> Polynomial | None:
        if (number := splat_number(value)) is not None:
            return Polynomial.of(int(number))
        match value.owner, operands:
            case arith.AddiOp(), (a, b):
                return a + b
            case arith.SubiOp(), (a, b):
                return a - b
            case arith.MuliOp(), (a, b):
                return a * b
            case arith.IndexCastOp() | vector.BroadcastOp(), (a,):
                return a
            case _:
                return None


def _operands(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is computed from, exactly, or extends."""
    match owner := value.owner:
        case arith.SignlessIntegerBinaryOperationWithOverflow() if is_exact(owner):
            return owner.operands
        case arith.IndexCastOp() if extends(owner):
            return owner.operands
        case vector.BroadcastOp():
            return owner.operands
        case _:
            return ()
