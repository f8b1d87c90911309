"""
Where loads go, relative to each other: the loads of a stencil, and how far apart they are.

A position in memory is a polynomial: `a[(j + 1) * n + i]` is at `j*n + i + n`. From one
work-item to the next along a loop it grows by a step, here 1 and `n`, so that `n` is one step
along the second loop. Loads whose positions differ in whole steps alone are a stencil. The
distance of two rows of an array is a number if its type says so, and unknown otherwise, as the
value `n` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from xdsl.dialects import memref, scf
from xdsl.ir import BlockArgument, SSAValue

from spmd.analysis.divergence.access_patterns import element_strides
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.memory.polynomials import ZERO, Atom, Monomial, Polynomial
from spmd.analysis.memory.sums import Sums, ValueAtom
from spmd.dialects.rewriting import known_numbers
from spmd.dialects.work_groups import is_work_item_loop

Offset = tuple[int, ...]
"""Steps along each loop of a nest."""

_REACH = 64
"""Loads of a stencil are fewer steps apart."""


@dataclass
class Positions:
    """Where loads go, for work-items that differ along some `dimensions`."""

    divergence: Divergence
    dimensions: Sequence[int]
    _sums: Sums = field(default_factory=Sums)
    _pitches: dict[tuple[SSAValue, int], Polynomial] = field(
        default_factory=dict[tuple[SSAValue, int], Polynomial]
    )

    def of(self, op: memref.LoadOp) -> Sequence[tuple[object, Offset]] | None:
        """
        What `op` has in common with other loads of a stencil, and its offset.

        For each iteration of the short loops that count in its indices; `None` where its steps
        are not known.
        """
        position = ZERO
        for number, stride in enumerate(element_strides(op.memref)):
            key = op.memref, number
            pitch = (
                Polynomial.of(stride) if stride is not None else self._pitches.get(key)
            )
            if pitch is None:
                pitch = self._pitches[key] = Polynomial.of(Atom("pitch"))
            position += self._sums.of(op.indices[number]) * pitch
        steps = [self._step(position, dimension) for dimension in self.dimensions]
        known = [step for step in steps if step is not None]
        if len(known) < len(steps):
            return None
        counters = {
            atom: numbers
            for atom in position.atoms()
            if isinstance(atom, ValueAtom) and (numbers := _iterations(atom.value))
        }
        if prod(map(len, counters.values())) > _REACH:
            counters = {}
        found: list[tuple[object, Offset]] = []
        for numbers in product(*counters.values()):
            at = dict[Atom, int](zip(counters, numbers, strict=True))
            common, offset = _divided(position.replaced(at.get), known)
            found.append(((op.memref, common), offset))
        return found

    def _step(self, position: Polynomial, dimension: int) -> Polynomial | None:
        """How `position` grows from one work-item to the next."""
        terms: list[tuple[Monomial, int]] = []
        for monomial, factor in position.terms.items():
            for at, atom in enumerate(monomial):
                stride = self._stride(atom, dimension)
                if stride is None:
                    return None
                terms.append((monomial[:at] + monomial[at + 1 :], factor * stride))
        step = Polynomial.sum_of(terms)
        grows = any(self._stride(atom, dimension) for atom in step.atoms())
        return None if grows else step

    def _stride(self, atom: Atom, dimension: int) -> int | None:
        if not isinstance(atom, ValueAtom):
            return 0
        return self.divergence.shape(atom.value, dimension).stride


def _iterations(value: SSAValue) -> range | None:
    """The numbers that `value` is, if it counts a work-item's loop with constant bounds."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
        return None
    return (
        None if is_work_item_loop(loop) else known_numbers(loop.lb, loop.ub, loop.step)
    )


def _divided(
    position: Polynomial, steps: Sequence[Polynomial]
) -> tuple[object, Offset]:
    """
    What is left of `position` besides a few whole steps along each loop, and how many.

    Those that are products of most values come first: planes, then rows, then elements.
    """
    offset, far = [0] * len(steps), [0] * len(steps)
    leading = {
        place: max(step.terms.items(), key=lambda term: (len(term[0]), abs(term[1])))
        for place, step in enumerate(steps)
        if step.terms
    }
    by_size = sorted(leading, key=lambda p: (len(leading[p][0]), abs(leading[p][1])))
    for place in reversed(by_size):
        monomial, factor = leading[place]
        whole = (2 * position.terms.get(monomial, 0) + factor) // (2 * factor)
        position -= steps[place] * whole
        far[place], offset[place] = divmod(whole + _REACH // 2, _REACH)
    return (frozenset(position.terms.items()), tuple(far)), tuple(offset)
