"""
What counted loops add up, as polynomials in the number of iterations.

A value of iteration `n` is a *chain of recurrences* (O. Bachmann, P. Wang, E. Zima, "Chains
of recurrences: a method to expedite the evaluation of closed-form functions", 1994): with
coefficients `c0, c1, ...` that the loop does not change, it is the sum of `ck * binomial(n, k)`.
Sums and products of chains are chains, and a value that becomes itself plus a chain in every
iteration is the chain with its first value put in front.

```mlir
%s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {   // %i is 0, 1
  %i32 = arith.index_cast %i : index to i32
  %b = arith.addi %a, %i32 : i32                                     // %a is %v, 0, 1
  scf.yield %b : i32
}                                       // %s is %v + binomial(%n, 2), modulo 2^32
```

Chains of integers hold modulo 2 to the bits of the type, whatever wraps. Where a wider type
is made of a value, it has to be that number: the counter, what the loop does not change, and
`nsw` sums and products of these (poison, if they wrap, may be any number). Floats have none:
their sums round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import comb

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from spmd.analysis.memory.polynomials import ZERO, Polynomial
from spmd.analysis.memory.sums import ValueAtom
from spmd.analysis.ranges.integer_range import bit_width, has_no_signed_wrap
from spmd.dialects.enclosing import is_outside, op_of, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.rewriting import constant_index

HIGHEST = 3
"""The degree of chains: sums of squares, and sums of sums of the counter."""

SMALLEST = 8
"""Bits of integers that are looked at; one that is smaller is a condition."""

_LONGEST = 8
"""Products that coefficients are sums of."""


@dataclass(frozen=True)
class Chain:
    """A value in iteration `n`: the sum of `coefficients[k] * binomial(n, k)`."""

    coefficients: tuple[Polynomial, ...]
    is_number: bool
    """Whether that is the signed integer itself, not only the same modulo its type."""

    def __add__(self, other: Chain) -> Chain:
        pairs = zip_longest(self.coefficients, other.coefficients, fillvalue=ZERO)
        both = self.is_number and other.is_number
        return Chain(tuple(a + b for a, b in pairs), both)

    def __mul__(self, other: Chain) -> Chain:
        # binomial(n, i) * binomial(n, j) is the sum of these times binomial(n, k):
        # choose k of n, i of these for the first, and for the second all others and some.
        length = len(self.coefficients) + len(other.coefficients) - 1
        found = [ZERO] * length
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                for k in range(max(i, j), i + j + 1):
                    found[k] += a * b * (comb(k, i) * comb(i, k - j))
        return Chain(tuple(found), self.is_number and other.is_number)

    def __neg__(self) -> Chain:
        return Chain(tuple(-each for each in self.coefficients), self.is_number)

    def is_long(self) -> bool:
        """Whether it is too much to be worth something."""
        return len(self.coefficients) > HIGHEST + 1 or any(
            len(each.terms) > _LONGEST for each in self.coefficients
        )


def carried_chains(loop: scf.ForOp) -> dict[int, Chain]:
    """
    The chains of what `loop` carries, by position; those of values that have one.

    With `n` the number of all iterations, they are the results.
    """
    arguments = loop.body.block.args[1:]
    following = terminator(loop.body.block).operands
    known: dict[SSAValue, Chain] = {}
    atoms: dict[SSAValue, ValueAtom] = {}
    changed = True
    while changed:
        changed = False
        for argument, first, after in zip(
            arguments, loop.iter_args, following, strict=True
        ):
            if argument in known:
                continue
            reader = _Reader(loop, known, atoms, argument)
            step, start = reader.step(after), reader.invariant(first)
            if step is not None and start is not None:
                chain = Chain((start, *step.coefficients), is_number=False)
                if not chain.is_long():
                    known[argument], changed = chain, True
    return {
        number: known[argument]
        for number, argument in enumerate(arguments)
        if argument in known
    }


class _Reader:
    """Reads off what is added to one argument of a loop."""

    def __init__(
        self,
        loop: scf.ForOp,
        known: Mapping[SSAValue, Chain],
        atoms: dict[SSAValue, ValueAtom],
        argument: SSAValue,
    ):
        self._loop = loop
        self._atoms = atoms
        self._self = ValueAtom("", value=argument)
        itself = Chain((Polynomial.of(self._self),), is_number=False)
        self._known: dict[SSAValue, Chain | None] = {**known, argument: itself}

    def step(self, after: SSAValue) -> Chain | None:
        """`after` less the argument, if that does not depend on the argument."""
        chain = self._of(after)
        if chain is None:
            return None
        first, *others = chain.coefficients
        step = first - Polynomial.of(self._self)
        if any(self._self in each.atoms() for each in (step, *others)):
            return None
        return Chain((step, *others), is_number=False)

    def invariant(self, value: SSAValue) -> Polynomial | None:
        """An integer that the loop does not change, as the signed number that it is."""
        width = bit_width(value.type)
        if width is None or width < SMALLEST:
            return None
        if (number := constant_index(value)) is not None:
            return Polynomial.of(signed(number, width))
        if not is_outside(value, self._loop):
            return None
        atom = ValueAtom(value.name_hint or "", value=value)
        return Polynomial.of(self._atoms.setdefault(value, atom))

    def _of(self, value: SSAValue) -> Chain | None:
        """The chain of `value`, without recursion: sums may be long."""
        waiting = [value]
        while waiting:
            top = waiting[-1]
            if top in self._known:
                waiting.pop()
                continue
            operands = self._operands(top)
            unknown = [each for each in operands if each not in self._known]
            if unknown:
                waiting += unknown
                continue
            self._known[top] = self._read(top, [self._known[each] for each in operands])
        return self._known[value]

    def _operands(self, value: SSAValue) -> Sequence[SSAValue]:
        op = value.owner
        if (
            not isinstance(op, Operation)
            or is_outside(value, self._loop)
            or FunctionOfOperands.of(op) is None
        ):
            return ()
        return op.operands

    def _read(self, value: SSAValue, operands: Sequence[Chain | None]) -> Chain | None:
        if (fixed := self.invariant(value)) is not None:
            return Chain((fixed,), is_number=True)
        if value is self._loop.body.block.args[0]:
            start, step = map(self.invariant, (self._loop.lb, self._loop.step))
            if step is None or start is None:
                return None
            return Chain((start, step), is_number=True)
        known = [each for each in operands if each is not None]
        if not operands or len(known) < len(operands):
            return None
        chain = _combined(op_of(value), known)
        return None if chain is None or chain.is_long() else chain


def _combined(op: Operation, operands: Sequence[Chain]) -> Chain | None:
    match op, operands:
        case arith.AddiOp(), (a, b):
            chain = a + b
        case arith.SubiOp(), (a, b):
            chain = a + -b
        case arith.MuliOp(), (a, b):
            chain = a * b
        case arith.TruncIOp(), (a,):
            return Chain(a.coefficients, is_number=False)
        case ((arith.ExtSIOp() | arith.IndexCastOp()), (a,)):
            before, after = (
                bit_width(each.type) or 0 for each in (op.operands[0], op.results[0])
            )
            if before > after:
                return Chain(a.coefficients, is_number=False)
            return a if before == after or a.is_number else None
        case _:
            return None
    return Chain(chain.coefficients, chain.is_number and has_no_signed_wrap(op))


def signed(number: int, width: int) -> int:
    """The signed integer of `width` bits that is `number`, modulo 2 to `width`."""
    half = 1 << (width - 1)
    return (number + half) % (2 * half) - half
