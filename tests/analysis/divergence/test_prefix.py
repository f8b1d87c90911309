"""Conditions that hold in the first lanes only."""

from __future__ import annotations

import pytest

from spmd.analysis.divergence.prefix import conjuncts, prefix_bound
from tests.analysis.programs import Analysed

VALUES = """
%j = arith.addi %gid, %c4 : index
%product = arith.muli %n, %n : index
%far = arith.addi %gid, %product : index
%sure = arith.addi %gid, %n overflow<nsw> : index
%twice = arith.muli %lid, %c2 : index
%down = arith.subi %c16, %lid : index
%loaded = memref.load %table[%gid] : memref<?xindex>
"""


@pytest.mark.parametrize(
    ("condition", "stride", "inclusive", "signed"),
    [
        ("arith.cmpi slt, %gid, %n : index", 1, False, True),
        ("arith.cmpi sle, %gid, %n : index", 1, True, True),
        ("arith.cmpi ult, %gid, %n : index", 1, False, False),
        ("arith.cmpi ule, %j, %n : index", 1, True, False),
        ("arith.cmpi sgt, %n, %gid : index", 1, False, True),
        ("arith.cmpi uge, %n, %gid : index", 1, True, False),
        ("arith.cmpi slt, %sure, %m : index", 1, False, True),
        ("arith.cmpi slt, %twice, %n : index", 2, False, True),
    ],
)
def test_bounds(condition: str, stride: int, inclusive: bool, signed: bool):
    k = Analysed(f"{VALUES}\n%p = {condition}")
    bound = prefix_bound(k.divergence, k.value("p"))
    assert bound is not None
    assert (bound.stride, bound.inclusive, bound.signed) == (stride, inclusive, signed)
    assert k.divergence.shape(bound.limit).is_uniform


@pytest.mark.parametrize(
    "condition",
    [
        "arith.cmpi sgt, %gid, %n : index",
        "arith.cmpi eq, %gid, %n : index",
        "arith.cmpi ne, %gid, %n : index",
        "arith.cmpi slt, %down, %n : index",
        "arith.cmpi slt, %far, %m : index",  # may wrap between two lanes
        "arith.cmpi ult, %sure, %m : index",  # lanes below 0 are large
        "arith.cmpi slt, %loaded, %n : index",
        "arith.cmpi slt, %gid, %loaded : index",
        "arith.cmpi slt, %n, %m : index",
        "arith.ori %low, %low : i1",
    ],
)
def test_no_prefix(condition: str):
    k = Analysed(f"{VALUES}\n%low = arith.cmpi slt, %gid, %n : index\n%p = {condition}")
    assert prefix_bound(k.divergence, k.value("p")) is None


def test_conjunction():
    k = Analysed("""
    %a = arith.cmpi slt, %gid, %n : index
    %b = arith.cmpi slt, %lid, %m : index
    %c = arith.cmpi slt, %lidy, %m : index
    %ab = arith.andi %a, %b : i1
    %abc = arith.andi %ab, %c : i1
    """)
    assert set(conjuncts(k.value("abc"))) == {k.value(name) for name in "abc"}
    for name, value in (("a", "gid"), ("b", "lid")):
        bound = prefix_bound(k.divergence, k.value(name))
        assert bound is not None
        assert bound.value == k.value(value)
    # In x, the bound on y is true or false in all lanes.
    assert prefix_bound(k.divergence, k.value("c")) is None
    assert prefix_bound(k.divergence, k.value("c"), 1) is not None
