"""Matrices of any sides are transposed by shuffles, of any element type."""

from __future__ import annotations

import pytest
from xdsl.dialects import test, vector
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType, f32, f64, i8
from xdsl.ir import Block, SSAValue

from spmd.dialects.building import Builder
from spmd.passes.memory.accesses.transposition import transposed

SIDES = (1, 2, 4, 8, 16, 32)


@pytest.mark.parametrize("element", [i8, f32, f64], ids=str)
@pytest.mark.parametrize("width", SIDES)
@pytest.mark.parametrize("height", SIDES)
def test_columns_become_rows(height: int, width: int, element: IntegerType | AnyFloat):
    rows = test.TestOp(result_types=[VectorType(element, [width])] * height).results
    has: dict[SSAValue, list[tuple[int, int]]] = {
        row: [(y, x) for x in range(width)] for y, row in enumerate(rows)
    }
    block = Block()
    columns = transposed(Builder.at_end(block), rows)
    for op in block.ops:
        assert isinstance(op, vector.ShuffleOp)
        both = has[op.v1] + has[op.v2]
        has[op.result] = [both[place] for place in op.mask.get_values()]
    expected = [[(y, x) for y in range(height)] for x in range(width)]
    assert [has[column] for column in columns] == expected
    side = min(height, width)
    mixed = [op for op in block.ops if op.operands[0] is not op.operands[1]]
    assert len(mixed) == side * (side.bit_length() - 1) + height - side
