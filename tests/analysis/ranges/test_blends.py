"""The ranges of sums of two products whose weights add up, against what these compute."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from tests.analysis.ranges.test_rules import assert_says, some_number, some_range


def blend(
    type_: IntegerType, swap: Callable[[], bool]
) -> tuple[list[SSAValue], SSAValue]:
    """`a * t + b * (whole - t)`, with operands in some order, of four numbers."""
    numbers = test.TestOp(result_types=[type_] * 4).results
    a, b, t, whole = numbers

    def add(
        kind: type[arith.AddiOp | arith.MuliOp], x: SSAValue, y: SSAValue
    ) -> SSAValue:
        return (kind(y, x) if swap() else kind(x, y)).result

    rest = arith.SubiOp(whole, t).result
    sum_ = add(arith.AddiOp, add(arith.MuliOp, a, t), add(arith.MuliOp, b, rest))
    return [*numbers], sum_


@pytest.mark.parametrize("width", [4, 8, 16, 32, 64])
def test_blends(width: int):
    rng = random.Random(width)
    for _ in range(400):
        numbers, sum_ = blend(IntegerType(width), lambda: rng.random() < 0.5)
        ranges = [some_range(rng, width) for _ in numbers]
        if rng.random() < 0.7:  # weights that are none are of no interest
            most = rng.randint(1, (1 << width // 2) - 1)
            ranges[2] = IntegerRange(0, rng.randint(0, most))
            ranges[3] = IntegerRange(most, most + rng.randint(0, most))
            ranges[0] = some_range(rng, width // 2)
            ranges[1] = some_range(rng, width // 2)
        found = IntegerRanges(dict(zip(numbers, ranges, strict=True))).of(sum_)
        for _ in range(20):
            a, b, t, whole = (some_number(rng, each) for each in ranges)
            result = a * t + b * (whole - t)
            assert_says(found, result, width, f"blend of {a, b, t, whole} in {ranges}")


def test_weights_share_what_they_add_up_to():
    numbers, sum_ = blend(IntegerType(32), lambda: False)
    byte, whole = IntegerRange(0, 255), IntegerRange(256, 256)
    assumed = dict(zip(numbers, (byte, byte, byte, whole), strict=True))
    assert IntegerRanges(assumed).of(sum_) == IntegerRange(0, 255 * 256)
    signed = IntegerRange(-128, 127)
    assumed = dict(zip(numbers, (signed, signed, byte, whole), strict=True))
    assert IntegerRanges(assumed).of(sum_) == IntegerRange(-128 * 256, 127 * 256)
