"""Indices as polynomials in the values that they are computed from."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
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
        known = self._known.get(value)
        if known is None:
            known = self._read(value)
            if known is None or len(known.terms) > _LONGEST:
                known = Polynomial.of(ValueAtom(value.name_hint or "", value=value))
            self._known[value] = known
        return known

    def _read(self, value: SSAValue) -> Polynomial | None:
        if (number := splat_number(value)) is not None:
            return Polynomial.of(int(number))
        match owner := value.owner:
            case arith.AddiOp() if is_exact(owner):
                return self.of(owner.lhs) + self.of(owner.rhs)
            case arith.SubiOp() if is_exact(owner):
                return self.of(owner.lhs) - self.of(owner.rhs)
            case arith.MuliOp() if is_exact(owner):
                return self.of(owner.lhs) * self.of(owner.rhs)
            case arith.IndexCastOp() if extends(owner):
                return self.of(owner.input)
            case _:
                return None
