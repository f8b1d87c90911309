"""
Replaces what counted loops add up by what it comes to.

The sum of the numbers below `n` is `n * (n - 1) / 2`, and a loop of which nothing else is
left vanishes. LLVM does so too, but not under the masks that a loop gets
whose iterations differ between work-items, and not around barriers.

```mlir
// before
%end = arith.addi %lid, %c2 : index
%seen = scf.for %i = %c0 to %end step %c1 iter_args(%a = %v) -> (i32) {
  %i32 = arith.index_cast %i : index to i32
  %more = arith.addi %a, %i32 : i32
  scf.yield %more : i32
}
// after: one of a number and the one before is even, and the half of it is a factor
%end = arith.addi %lid, %c2 : index
%n = arith.index_cast %end : index to i32
%before = arith.subi %n, %c1 : i32
%odd = arith.ori %before, %c1 : i32
%shifted = arith.shrui %end, %c1 : index
%half = arith.index_cast %shifted : index to i32
%pairs = arith.muli %half, %odd : i32
%seen = arith.addi %v, %pairs : i32
```

*Legality.* `analysis/memory/recurrences.py` says which integers are polynomials in the number
of iterations, up to degree 3, modulo 2 to the bits of their type: all that wraps in the loop
wraps in its result. The number of iterations itself is exact, as an unsigned integer of the
counter's type; its halves are taken before anything is cut off, and thirds by multiplying
with the inverse of 3, which is odd. Flags and poison of the loop are forgotten. Floats round
in every iteration and stay.

*What it costs.* A few multiplications after the last iteration, for an addition in each: it
is done where the loop vanishes, or need not carry the value any more.

Requires: nothing.
Ensures: no kernel has a loop without effects whose results are such polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from spmd.analysis.memory.polynomials import ZERO, Polynomial
from spmd.analysis.memory.recurrences import Chain, carried_chains, signed
from spmd.analysis.memory.sums import ValueAtom
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import (
    constant_index,
    erase_dead_ops,
    has_no_effect,
    locate,
    replace,
    trip_count,
)
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in


@dataclass(frozen=True)
class SolveRecurrencesPass(ModulePass):
    """Sums without their loops; see the module docstring."""

    name = "solve-recurrences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            solve_recurrences(kernel)


def solve_recurrences(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    loops = [op for op in kernel.walk() if isinstance(op, scf.ForOp) and op.res]
    constants = ConstantPool(kernel.body.blocks[0])
    solved = False
    # What a loop inside adds up may be what the loop around it adds.
    for loop in reversed(loops):
        solved |= _solve(loop, constants)
    if solved:
        erase_dead_ops(kernel.body)


def _solve(loop: scf.ForOp, constants: ConstantPool) -> bool:
    """Replace results of one loop; whether there were any."""
    if all(result.first_use is None for result in loop.res):
        return False
    chains = carried_chains(loop)
    asked = {n for n, result in enumerate(loop.res) if result.first_use is not None}
    vanishes = asked <= chains.keys() and has_no_effect(loop)
    numbers = asked if vanishes else _carried_for_themselves(loop, set(chains))
    if asked.isdisjoint(numbers):
        return False
    at = Builder(InsertPoint.after(loop), loop)
    iterations = _iterations(loop, at, constants)
    if iterations is None:
        return False
    solutions: dict[Attribute, _Solution] = {}
    for number in sorted(asked & numbers):
        result = loop.res[number]
        new = _Solution(at, constants, iterations, result.type)
        value = solutions.setdefault(result.type, new).of(chains[number])
        value.name_hint = value.name_hint or result.name_hint
        result.replace_all_uses_with(value)
    if not vanishes:
        _carry_no_more(loop, numbers)
    return True


def _carried_for_themselves(loop: scf.ForOp, numbers: set[int]) -> set[int]:
    """Those of `numbers` whose values nothing in the loop asks for but each other."""
    arguments = loop.body.block.args[1:]
    while True:
        asked = {n for n in numbers if not _leads_only_to(arguments[n], loop, numbers)}
        if not asked:
            return numbers
        numbers = numbers - asked


def _leads_only_to(value: SSAValue, loop: scf.ForOp, numbers: set[int]) -> bool:
    """Whether `value` is only computed with, and only for the carried values `numbers`."""
    end, waiting, seen = terminator(loop.body.block), [value], set[SSAValue]()
    while waiting:
        if (each := waiting.pop()) in seen:
            continue
        seen.add(each)
        for use in each.uses:
            user = use.operation
            if user is end:
                if use.index not in numbers:
                    return False
            elif user.regions or not user.results or not has_no_effect(user):
                return False
            waiting += user.results
    return True


def _carry_no_more(loop: scf.ForOp, numbers: Iterable[int]) -> None:
    """Put a loop in the place of `loop` that does not carry the values `numbers`."""
    gone = set(numbers)
    kept = [n for n in range(len(loop.res)) if n not in gone]
    body = loop.body.block
    end = terminator(body)
    end.operands = [end.operands[n] for n in kept]
    # What made them uses the arguments still, and is dead.
    for number in sorted(gone, reverse=True):
        argument = body.args[number + 1]
        argument.replace_all_uses_with(loop.iter_args[number])
        body.erase_arg(argument)
    new = scf.ForOp(
        loop.lb,
        loop.ub,
        loop.step,
        [loop.iter_args[n] for n in kept],
        loop.detach_region(loop.body),
    )
    new.attributes = loop.attributes
    locate(new, loop)
    results: list[SSAValue | None] = [None] * len(loop.res)
    for number, result in zip(kept, new.res, strict=True):
        results[number] = result
    replace(loop, new, results)


def _iterations(
    loop: scf.ForOp, at: Builder, constants: ConstantPool
) -> SSAValue | int | None:
    """How often `loop` runs, as an unsigned integer; `None` if that takes a division."""
    step, type_ = constant_index(loop.step), loop.lb.type
    if step is None or step <= 0 or step & (step - 1):
        return None
    if (known := trip_count(loop)) is not None:
        return known
    ranges = IntegerRanges()
    low, high = ranges.of(loop.lb), ranges.of(loop.ub)
    count = loop.ub
    if high.low < low.high:
        count = at.add(arith.MaxSIOp(count, loop.lb), "last")
    if constant_index(loop.lb) != 0:
        count = at.add(arith.SubiOp(count, loop.lb), "iterations")
    if step == 1:
        return count
    rest = constants.number(step - 1, type_)
    shift = constants.number(step.bit_length() - 1, type_)
    if high.high - low.low + step <= 1 << (bit_width(type_) or 0):
        return at.add(arith.ShRUIOp(at.add(arith.AddiOp(count, rest)), shift))
    begun = at.add(arith.AndIOp(count, rest))
    begun = at.add(arith.MinUIOp(begun, constants.number(1, type_)), "begun")
    return at.add(arith.AddiOp(at.add(arith.ShRUIOp(count, shift)), begun))


class _Solution:
    """Writes the values of chains after a number of iterations, in one type."""

    def __init__(
        self,
        at: Builder,
        constants: ConstantPool,
        iterations: SSAValue | int,
        type_: Attribute,
    ):
        self._at = at
        self._constants = constants
        self._iterations = iterations
        self._type = type_
        self._width = bit_width(type_) or 0
        self._binomials: list[SSAValue] = []
        """Of the iterations and 1, 2, 3."""

    def of(self, chain: Chain) -> SSAValue:
        """What `chain` is after the last iteration."""
        n = self._iterations
        if isinstance(n, int):
            known = ZERO
            for degree, coefficient in enumerate(chain.coefficients):
                known += coefficient * comb(n, degree)
            return self._sum(known) or self._number(0)
        first, *others = chain.coefficients
        total = self._sum(first)
        for degree, coefficient in enumerate(others):
            if (factor := self._sum(coefficient)) is not None:
                term = self._product(factor, self._binomial(degree, n))
                total = term if total is None else self._add(arith.AddiOp(total, term))
        return total or self._number(0)

    def _binomial(self, degree: int, n: SSAValue) -> SSAValue:
        """The binomial of `n` and `degree + 1`."""
        known = self._binomials
        if not known:
            known.append(self._cast(n, is_signed=False))
        while len(known) <= degree:
            known.append(self._half_product(n) if len(known) == 1 else self._third())
        return known[degree]

    def _half_product(self, n: SSAValue) -> SSAValue:
        """`n * (n - 1) / 2`: one of both is even."""
        count, one = self._binomials[0], self._number(1)
        before = self._add(arith.SubiOp(count, one), "before")
        odd = self._add(arith.OrIOp(before, one), "odd")
        if self._width >= (bit_width(n.type) or 0):
            n = count
        one = self._constants.number(1, n.type)
        half = self._cast(self._at.add(arith.ShRUIOp(n, one), "half"), is_signed=False)
        return self._add(arith.MuliOp(half, odd), "pairs")

    def _third(self) -> SSAValue:
        """`n * (n - 1) / 2 * (n - 2) / 3`: what 3 divides, times the inverse of 3."""
        count, pairs = self._binomials
        two, third = self._number(2), self._number(pow(3, -1, 1 << self._width))
        left = self._add(arith.SubiOp(count, two))
        product = self._add(arith.MuliOp(pairs, left))
        return self._add(arith.MuliOp(product, third), "triples")

    def _sum(self, polynomial: Polynomial) -> SSAValue | None:
        """A polynomial of values; `None` if it is 0, modulo what the type has."""
        total: SSAValue | None = None
        for atoms, factor in polynomial.terms.items():
            if (factor := signed(factor, self._width)) == 0:
                continue
            product = self._number(factor)
            for atom in atoms:
                assert isinstance(atom, ValueAtom)
                product = self._product(product, self._cast(atom.value, is_signed=True))
            total = (
                product if total is None else self._add(arith.AddiOp(total, product))
            )
        return total

    def _product(self, a: SSAValue, b: SSAValue) -> SSAValue:
        for factor, other in ((a, b), (b, a)):
            if constant_index(factor) == 1:
                return other
        return self._add(arith.MuliOp(a, b))

    def _number(self, value: int) -> SSAValue:
        return self._constants.number(signed(value, self._width), self._type)

    def _add(self, op: Operation, name: str | None = None) -> SSAValue:
        return self._at.add(op, name)

    def _cast(self, value: SSAValue, *, is_signed: bool) -> SSAValue:
        """`value`, modulo what the type has."""
        type_ = self._type
        if value.type == type_:
            return value
        op: Operation
        if IndexType() in (value.type, type_):
            cuts = is_signed or value.type == IndexType()
            op = (arith.IndexCastOp if cuts else IndexCastUIOp)(value, type_)
        elif (bit_width(value.type) or 0) > self._width:
            op = arith.TruncIOp(value, type_)  # pyright: ignore[reportArgumentType]
        else:
            extend = arith.ExtSIOp if is_signed else arith.ExtUIOp
            op = extend(value, type_)  # pyright: ignore[reportArgumentType]
        return self._add(op, value.name_hint)
