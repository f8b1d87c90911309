"""What the rules say of operations, against what these compute from numbers in the ranges."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from xdsl.dialects import arith, memref, test
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse

Number = Callable[[int, int, int], int | None]
"""From two signed numbers and the width to a result that may wrap; `None`: undefined."""


def unsigned(n: int, width: int) -> int:
    return n % (1 << width)


def to_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shifted(shift: Callable[[int, int, int], int]) -> Number:
    return lambda a, b, w: shift(a, b, w) if 0 <= b < w else None


def divided(divide: Callable[[int, int], int], *, signed: bool) -> Number:
    """Native code divides by 1 where the quotient is none."""

    def number(a: int, b: int, w: int) -> int:
        if not signed:
            a, b = unsigned(a, w), unsigned(b, w)
        if b == 0 or (signed and b == -1 and a == -(1 << (w - 1))):
            b = 1
        return divide(a, b)

    return number


def up(a: int, b: int) -> int:
    return -(-a // b)


OPS: dict[type[Operation], Number] = {
    arith.AddiOp: lambda a, b, w: a + b,
    arith.SubiOp: lambda a, b, w: a - b,
    arith.MuliOp: lambda a, b, w: a * b,
    arith.AndIOp: lambda a, b, w: a & b,
    arith.OrIOp: lambda a, b, w: a | b,
    arith.XOrIOp: lambda a, b, w: a ^ b,
    arith.MinSIOp: lambda a, b, w: min(a, b),
    arith.MaxSIOp: lambda a, b, w: max(a, b),
    arith.MinUIOp: lambda a, b, w: min(unsigned(a, w), unsigned(b, w)),
    arith.MaxUIOp: lambda a, b, w: max(unsigned(a, w), unsigned(b, w)),
    arith.ShLIOp: shifted(lambda a, b, w: a << b),
    arith.ShRSIOp: shifted(lambda a, b, w: a >> b),
    arith.ShRUIOp: shifted(lambda a, b, w: unsigned(a, w) >> b),
    arith.DivSIOp: divided(to_zero, signed=True),
    arith.RemSIOp: divided(lambda a, b: a - b * to_zero(a, b), signed=True),
    arith.FloorDivSIOp: divided(lambda a, b: a // b, signed=True),
    arith.CeilDivSIOp: divided(up, signed=True),
    arith.DivUIOp: divided(lambda a, b: a // b, signed=False),
    arith.RemUIOp: divided(lambda a, b: a % b, signed=False),
    arith.CeilDivUIOp: divided(up, signed=False),
}

CASTS: dict[type[Operation], bool] = {
    arith.ExtSIOp: True,
    arith.TruncIOp: True,
    arith.IndexCastOp: True,
    arith.ExtUIOp: False,
    IndexCastUIOp: False,
}
"""Whether they extend the sign."""


def some_range(rng: random.Random, width: int) -> IntegerRange:
    """Bounds near the ends of the type, near zero, or anywhere."""
    least, most = -(1 << (width - 1)), (1 << (width - 1)) - 1
    ends = [
        min(max(rng.choice((least, 0, most, 1, -1)) + rng.randint(-5, 5), least), most)
        if rng.random() < 0.6
        else rng.randint(least, most)
        for _ in range(2)
    ]
    low, high = (ends[0], ends[0]) if rng.random() < 0.2 else sorted(ends)
    divisor = rng.choice((1, 1, 2, 3, 4, 6, 8, 12))
    low, high = low + -low % divisor, high - high % divisor
    if low > high:
        return some_range(rng, width)
    if low == high:
        return IntegerRange.constant(low)
    return IntegerRange(low, high, divisor)


def some_number(rng: random.Random, of: IntegerRange) -> int:
    step = max(of.divisor, 1)
    count = (of.high - of.low) // step
    return of.low + step * rng.choice((0, count, rng.randint(0, count)))


def assert_says(found: IntegerRange, number: int, width: int, what: str) -> None:
    number = unsigned(number, width)
    number -= (number >> (width - 1)) << width
    assert found.low <= number <= found.high, f"{what} is {number}, not in {found}"
    divides = number == 0 if found.divisor == 0 else number % found.divisor == 0
    assert divides, f"{what} is {number}, not a multiple of {found.divisor}"


@pytest.mark.parametrize("kind", OPS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("width", [1, 2, 5, 8, 64])
def test_of_two_numbers(kind: type[Operation], width: int):
    rng = random.Random(f"{kind.name} {width}")
    type_ = IndexType() if width == 64 else IntegerType(width)
    for _ in range(150):
        given = test.TestOp(result_types=[type_, type_])
        op = kind.create(operands=given.results, result_types=[type_])
        ranges = [some_range(rng, width) for _ in range(2)]
        assumed: dict[SSAValue, IntegerRange] = dict(
            zip(given.results, ranges, strict=True)
        )
        found = IntegerRanges(assumed).of(op.results[0])
        for _ in range(12):
            a, b = (some_number(rng, each) for each in ranges)
            result = OPS[kind](a, b, width)
            if result is not None:
                what = f"{kind.name} of {a} and {b} in {ranges}"
                assert_says(found, result, width, what)


@pytest.mark.parametrize("kind", CASTS, ids=lambda kind: kind.name)
def test_of_casts(kind: type[Operation]):
    rng = random.Random(kind.name)
    types = [*map(IntegerType, (1, 2, 8, 64))]
    others = [IndexType()] if kind in (arith.IndexCastOp, IndexCastUIOp) else types
    for source in types if others is types else [*types, *others]:
        for target in types if source in others else others:
            width, wide = bit_width(source), bit_width(target)
            assert width is not None
            assert wide is not None
            if others is types and (width > wide) != (kind is arith.TruncIOp):
                continue
            for _ in range(40):
                given = test.TestOp(result_types=[source])
                op = kind.create(operands=given.results, result_types=[target])
                of = some_range(rng, width)
                found = IntegerRanges({given.results[0]: of}).of(op.results[0])
                for _ in range(8):
                    number = some_number(rng, of)
                    result = number if CASTS[kind] else unsigned(number, width)
                    what = f"{kind.name} of {number} in {of}"
                    assert_says(found, result, wide, what)


def test_of_sizes_that_code_makes_up():
    """An array that repeats one element may have any size; a launch takes none beyond 2^48."""
    module = parse(
        SourceText(
            "k.mlir",
            """
    spmd.kernel @k(%n: index, %x: memref<?xi8>) {
      %c0 = arith.constant 0 : index
      %r = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [0]
          : memref<?xi8> to memref<?xi8, strided<[0]>>
      %d = memref.dim %x, %c0 : memref<?xi8>
      %e = memref.dim %r, %c0 : memref<?xi8, strided<[0]>>
      spmd.return
    }""",
        )
    )
    given, made = (op for op in module.walk() if isinstance(op, memref.DimOp))
    ranges = IntegerRanges()
    assert ranges.of(given.result) == IntegerRange(0, 1 << 48)
    assert ranges.of(made.result) == IntegerRange(0, (1 << 63) - 1)
