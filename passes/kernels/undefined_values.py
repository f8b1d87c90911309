"""
Which values may be undefined, and a bit beside each that says whether it is.

An undefined value does no harm where it only leads to others: a shuffle at the end of a
sub-group reads from nobody, and nobody needs the sum that is made of it. So bits go where
values go, through arithmetic, choices, branches and loops, and a check stands where a value
is needed: stored, an index, a condition, a divisor. As in MemorySanitizer (Stepanov and
Serebryany, CGO 2015), without its shadow of memory: what is stored has been checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.interfaces.control_flow import Operand, Phi, phis
from spmd.dialects.interfaces.preconditions import (
    Terms,
    passes_on,
    undefined_by_operands,
)
from spmd.dialects.rewriting import hint, named
from spmd.passes.rematerialization.replace_forwarded import replace_forwarded

MOST_ORIGINS = 3
"""Ops that a message names, of those that may have made a value."""


@dataclass(frozen=True)
class Origin:
    """An op that makes undefined values, in words."""

    op: Operation
    message: str
    values: tuple[SSAValue, ...] = ()
    """The integers in the message, where they are known."""

    def elsewhere(self) -> Origin:
        """As told where the integers may be others by now."""
        return Origin(self.op, self.message.replace("{}", "?"))


@dataclass(frozen=True)
class Undefined:
    """What is said of a value that may be undefined: the bit, and who may have made it."""

    bit: SSAValue
    origins: tuple[Origin, ...]


def _some(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    return tuple(dict.fromkeys(origins))[:MOST_ORIGINS]


class UndefinedValues:
    """Those of one function, found as its ops are visited in order."""

    def __init__(self, function: Operation, sources: Iterable[Origin], terms: Terms):
        self._terms = terms
        self._said: dict[SSAValue, Undefined] = {}
        self._bits: dict[Operation, list[tuple[int, int]]] = {}
        """Of each op that forwards values, where one stands and where its bit does."""
        brought = _phis(function)
        self._origins = _spread(sources, brought)
        replace_forwarded([p for p in brought if p.values[0] in self._origins], self)
        phi_of = {phi.values[0]: phi for phi in _phis(function)}
        for value, said in self._said.items():
            if value in phi_of:
                pairs = zip(
                    phi_of[value].sources, phi_of[said.bit].sources, strict=True
                )
                for (op, position), (_, bit) in pairs:
                    self._bits.setdefault(op, []).append((position, bit))

    def needed(self, op: Operation) -> Iterator[Undefined]:
        """What is said of the operands of `op` that have to be defined."""
        harmless = {*passes_on(op)}
        forwarded = {position for position, _ in self._bits.get(op, ())}
        for position, operand in enumerate(op.operands):
            said = self._said.get(operand)
            if said and operand not in harmless and position not in forwarded:
                yield said

    def visit(self, op: Operation, own: Undefined | None) -> None:
        """Pass on what is said of the operands; `own` is said of the result as well."""
        for position, bit in self._bits.get(op, ()):
            if (said := self._said.get(op.operands[position])) is not None:
                op.operands[bit] = said.bit
        if not op.results:
            return
        all_said = [self._said.get(operand) for operand in passes_on(op)]
        bits = [said and said.bit for said in all_said]
        origins = [origin for said in all_said if said for origin in said.origins]
        if origins:
            bits = [undefined_by_operands(op, bits, self._terms)]
        if own is not None:
            bits, origins = [own.bit, *bits], [*own.origins, *origins]
        if origins:
            bit = hint(self._terms.any_of(bits), named(op.results[0], "undefined"))
            for result in op.results:
                self._said[result] = Undefined(bit, _some(origins))

    # As a `Replacement`: a value is forwarded with its bit.

    def types_of(self, phi: Phi) -> Sequence[Attribute]:
        """The types of a value and its bit."""
        return phi.values[0].type, i1

    def rematerialize(
        self, old: SSAValue, phi: Phi, values: Sequence[SSAValue], anchor: Operation
    ) -> SSAValue:
        """The value; remembers the bit."""
        value, bit = values
        hint(bit, named(old, "undefined"))
        self._said[value] = Undefined(bit, self._origins[phi.values[0]])
        return hint(value, old)

    def give(self, value: SSAValue, phi: Phi, op: Operation) -> Sequence[SSAValue]:
        """The value, and a bit that a visit of `op` may replace."""
        return value, self._terms.constants.bit(False)


def _phis(function: Operation) -> list[Phi]:
    return [phi for op in function.walk() if op.regions for phi in phis(op)]


def _spread(
    sources: Iterable[Origin], brought: Iterable[Phi]
) -> dict[SSAValue, tuple[Origin, ...]]:
    """Where values may be undefined from, as told after control flow."""
    leads_to = {source: phi.values for phi in brought for source in phi.sources}
    found: dict[SSAValue, tuple[Origin, ...]] = {}
    work = [
        (result, (origin.elsewhere(),))
        for origin in sources
        for result in origin.op.results
    ]
    while work:
        value, origins = work.pop()
        before = found.get(value, ())
        found[value] = _some((*before, *origins))
        if found[value] == before:
            continue
        for op, position in ((use.operation, use.index) for use in value.uses):
            reached = leads_to.get(Operand(op, position), ())
            if op.operands[position] in passes_on(op):
                reached = op.results
            work += [(each, found[value]) for each in reached]
    return found
