"""
Transformers against arithmetic: every rule on all lanes of small machine integers.

An operation on `i6` values is applied to every pair of a sample of shapes, with operands
that are constants, bounded or unknown, and to every vector of lanes that the shapes
allow: the lanes of the result must be those that the resulting shape allows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from xdsl.dialects import arith
from xdsl.dialects import test as placeholder
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.shape import Shape
from spmd.analysis.shapes.transfer import Lanes
from spmd.analysis.shapes.transfer_table import transform
from spmd.dialects.spmd import Scope
from tests.analysis.concrete import (
    HIGH,
    LANES,
    LOW,
    WIDTH,
    Vector,
    all_shapes,
    describes,
    vectors_of,
    wrap,
)

small = IntegerType(WIDTH)


class GivenRanges(IntegerRanges):
    """Ranges that the test decides."""

    def __init__(self, given: dict[SSAValue, IntegerRange]):
        super().__init__()
        self._known.update(given)


def unsigned(number: int) -> int:
    return number % (1 << WIDTH)


def if_it_fits(quotient: int) -> int | None:
    """Signed division of the least integer by -1 is undefined."""
    return quotient if LOW <= quotient <= HIGH else None


def truncated_quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


Meaning = Callable[[int, int], int | None]
"""The result before it wraps; `None` where the operation is undefined."""

BINARY: dict[type[Operation], Meaning] = {
    arith.AddiOp: lambda x, y: x + y,
    arith.SubiOp: lambda x, y: x - y,
    arith.MuliOp: lambda x, y: x * y,
    arith.ShLIOp: lambda x, y: x << y if 0 <= y < WIDTH else None,
    arith.ShRSIOp: lambda x, y: x >> y if 0 <= y < WIDTH else None,
    arith.ShRUIOp: lambda x, y: unsigned(x) >> y if 0 <= y < WIDTH else None,
    arith.DivSIOp: lambda x, y: if_it_fits(truncated_quotient(x, y)) if y else None,
    arith.DivUIOp: lambda x, y: unsigned(x) // unsigned(y) if y else None,
    arith.FloorDivSIOp: lambda x, y: if_it_fits(x // y) if y else None,
    arith.CeilDivSIOp: lambda x, y: if_it_fits(-(-x // y)) if y else None,
    arith.CeilDivUIOp: lambda x, y: -(-unsigned(x) // unsigned(y)) if y else None,
    arith.RemSIOp: lambda x, y: x - y * truncated_quotient(x, y) if y else None,
    arith.RemUIOp: lambda x, y: unsigned(x) % unsigned(y) if y else None,
    arith.AndIOp: lambda x, y: x & y,
    arith.OrIOp: lambda x, y: x | y,
    arith.XOrIOp: lambda x, y: x ^ y,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.MinUIOp: lambda x, y: min(x, y, key=unsigned),
    arith.MaxUIOp: lambda x, y: max(x, y, key=unsigned),
}

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "slt": lambda x, y: x < y,
    "sle": lambda x, y: x <= y,
    "sgt": lambda x, y: x > y,
    "sge": lambda x, y: x >= y,
    "ult": lambda x, y: unsigned(x) < unsigned(y),
    "ule": lambda x, y: unsigned(x) <= unsigned(y),
    "ugt": lambda x, y: unsigned(x) > unsigned(y),
    "uge": lambda x, y: unsigned(x) >= unsigned(y),
}

RANGES = (
    IntegerRange(LOW, HIGH),
    IntegerRange(0, HIGH),
    IntegerRange(0, 9),
    IntegerRange(-9, 6),
    IntegerRange(LOW, HIGH - 3),
)


@dataclass(frozen=True)
class Operand:
    """What is known of an operand, and all lanes it may have."""

    shape: Shape
    range: IntegerRange
    vectors: tuple[Vector, ...]


def operands(generator: random.Random) -> Iterator[Operand]:
    """Endless operands: constants and any shape with any range."""
    shapes = all_shapes()
    while True:
        if generator.random() < 0.3:
            number = generator.choice((0, 1, 2, 3, 4, 8, -1, -2, -4, 7, 12, 15, LOW))
            known = IntegerRange.constant(number)
            yield Operand(Shape.uniform(number), known, ((number,) * LANES,))
        else:
            shape, known = generator.choice(shapes), generator.choice(RANGES)
            vectors = tuple(vectors_of(shape, known.low, known.high))
            if vectors:
                yield Operand(shape, known, vectors)


def check(
    op: Operation,
    x: Operand,
    y: Operand,
    meaning: Callable[[int, int], int | bool | None],
    extent: int | None,
    generator: random.Random,
    no_wrap: bool = False,
) -> Shape:
    """Compute the shape of the result, and compare it with what the lanes do."""
    ranges = GivenRanges(dict(zip(op.operands, (x.range, y.range), strict=True)))
    lanes = Lanes(0, extent, Scope.SUB_GROUP, ranges)
    (shape,) = transform(op, (x.shape, y.shape), lanes)
    for _ in range(25):
        xs, ys = generator.choice(x.vectors), generator.choice(y.vectors)
        exact = [meaning(a, b) for a, b in zip(xs, ys, strict=True)]
        if None in exact:
            continue
        results = tuple(wrap(int(v)) for v in exact if v is not None)
        if no_wrap and results != tuple(exact):
            continue
        if op.results[0].type == i1:
            allowed = not shape.is_uniform or len(set(results)) == 1
        else:
            allowed = describes(shape, results)
        assert allowed, (
            f"{op.name} of {xs} ({x.shape}, {x.range}) and {ys} ({y.shape}, {y.range}) "
            f"is {results}, but its shape is {shape}"
        )
    return shape


@pytest.mark.parametrize("operation", BINARY, ids=lambda op: op.name)
def test_arithmetic_is_sound(operation: type[Operation]):
    generator = random.Random(operation.name)
    endless = operands(generator)
    better = 0
    for _ in range(1500):
        x, y = next(endless), next(endless)
        given = placeholder.TestOp(result_types=[small, small])
        op = operation.create(operands=given.results, result_types=[small])
        no_wrap = False
        if issubclass(operation, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            no_wrap = generator.random() < 0.3
            flags = [arith.IntegerOverflowFlag.NSW] if no_wrap else []
            op.properties["overflowFlags"] = arith.IntegerOverflowAttr(flags)
        extent = generator.choice((LANES, None))
        shape = check(op, x, y, BINARY[operation], extent, generator, no_wrap)
        better += not shape.is_varying and not (
            x.shape.is_uniform and y.shape.is_uniform
        )
    assert better > 8, "expected strided operands to be understood now and then"


@pytest.mark.parametrize("predicate", COMPARISONS)
def test_comparisons_are_sound(predicate: str):
    generator = random.Random(predicate)
    endless = operands(generator)
    better = 0
    for _ in range(1200):
        x, y = next(endless), next(endless)
        given = placeholder.TestOp(result_types=[small, small])
        op = arith.CmpiOp(given.results[0], given.results[1], predicate)
        extent = generator.choice((LANES, None))
        shape = check(op, x, y, COMPARISONS[predicate], extent, generator)
        better += shape.is_uniform and not (x.shape.is_uniform and y.shape.is_uniform)
    assert better > 8


CASTS: dict[str, tuple[type[Operation], int]] = {
    "truncate": (arith.TruncIOp, 4),
    "extend signed": (arith.ExtSIOp, 9),
    "extend unsigned": (arith.ExtUIOp, 9),
}


@pytest.mark.parametrize("cast", CASTS)
def test_casts_are_sound(cast: str):
    operation, width = CASTS[cast]
    generator = random.Random(cast)
    endless = operands(generator)
    kept = 0
    for _ in range(2500):
        x = next(endless)
        given = placeholder.TestOp(result_types=[small])
        op = operation.create(operands=given.results, result_types=[IntegerType(width)])
        ranges = GivenRanges({given.results[0]: x.range})
        lanes = Lanes(0, LANES, Scope.SUB_GROUP, ranges)
        (shape,) = transform(op, (x.shape,), lanes)
        kept += not shape.is_varying and not x.shape.is_uniform
        for xs in x.vectors:
            numbers = map(unsigned, xs) if operation is arith.ExtUIOp else xs
            results = tuple(wrap(number, width) for number in numbers)
            assert describes(shape, results, width), (str(x.shape), xs, str(shape))
    assert kept > 100


def test_select_is_sound():
    generator = random.Random(3)
    endless = operands(generator)
    for _ in range(1200):
        x, y = next(endless), next(endless)
        given = placeholder.TestOp(result_types=[i1, small, small])
        op = arith.SelectOp(*given.results)
        condition = generator.choice((Shape.uniform(), Shape.varying()))
        lanes = Lanes(0, LANES, Scope.SUB_GROUP, IntegerRanges())
        (shape,) = transform(op, (condition, x.shape, y.shape), lanes)
        xs, ys = generator.choice(x.vectors), generator.choice(y.vectors)
        if condition.is_uniform:
            choices = [xs, ys]
        else:
            choices = [
                tuple(generator.choice(pair) for pair in zip(xs, ys, strict=True))
            ]
        for results in choices:
            assert describes(shape, results), (str(x.shape), str(y.shape), results)


def test_transformers_are_monotone():
    """A better operand never gives a worse result, or the fixpoint would depend on order."""
    generator = random.Random(4)
    shapes = all_shapes()
    for _ in range(8_000):
        operation = generator.choice(list(BINARY))
        low, other = generator.choice(shapes), generator.choice(shapes)
        high = low.join(generator.choice(shapes))
        given = placeholder.TestOp(result_types=[small, small])
        op = operation.create(operands=given.results, result_types=[small])
        known = GivenRanges(
            {value: generator.choice(RANGES) for value in given.results}
        )
        if generator.random() < 0.4:
            number = generator.choice((1, 2, 4, 8, 15))
            known = GivenRanges(
                {
                    given.results[0]: generator.choice(RANGES),
                    given.results[1]: IntegerRange.constant(number),
                }
            )
            other = Shape.uniform(number)
        lanes = Lanes(0, LANES, Scope.SUB_GROUP, known)
        (a,), (b,) = (transform(op, (s, other), lanes) for s in (low, high))
        assert a <= b, (op.name, str(low), str(high), str(other), str(a), str(b))
