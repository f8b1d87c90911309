"""Indices as polynomials."""

from __future__ import annotations

from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from spmd.analysis.memory.polynomials import Polynomial
from spmd.analysis.memory.sums import Sums


def value() -> SSAValue:
    return test.TestOp(result_types=[IndexType()]).results[0]


def test_sums_and_products():
    sums, a, b = Sums(), value(), value()
    three = arith.ConstantOp.from_int_and_width(3, IndexType())
    product = arith.MuliOp(a, b)
    total = arith.AddiOp(product, three)
    twice = arith.SubiOp(total, total)
    expected = sums.of(a) * sums.of(b) + Polynomial.of(3)
    assert sums.of(total.result).terms == expected.terms
    assert not sums.of(twice.result).terms


def test_long_sums_need_no_deep_stack():
    total = first = value()
    for _ in range(5000):
        total = arith.AddiOp(total, first).result
    sums = Sums()
    expected = sums.of(first) * Polynomial.of(5001)
    assert sums.of(total).terms == expected.terms
