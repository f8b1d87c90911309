"""Views of any shape and strides arrive as NumPy sees them."""

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import spmd

EXTENTS = (5, 7, 6)


@cache
def copy(rank: int) -> spmd.Kernel:
    """A kernel that copies an array of any layout to another."""
    strides = ", ".join("?" * rank)
    type_ = f"memref<{'?x' * rank}i16, strided<[{strides}], offset: ?>>"
    ids = "\n".join(f"  %{d} = spmd.global_id {d}" for d in "xyz")
    at = ", ".join(f"%{d}" for d in "zyx"[3 - rank :])
    text = (
        f"spmd.kernel @copy(%a: {type_}, %b: {type_}) {{\n{ids}\n"
        f"  %v = memref.load %a[{at}] : {type_}\n"
        f"  memref.store %v, %b[{at}] : {type_}\n  spmd.return\n}}"
    )
    return spmd.compile(text, width=4).kernels["copy"]


@st.composite
def views(draw: st.DrawFn) -> tuple[slice | int, ...]:
    """An index for an array of shape `EXTENTS`: slices with any step, and numbers."""
    index: list[slice | int] = []
    for extent in EXTENTS:
        if draw(st.booleans()):
            index.append(draw(st.slices(extent)))
        else:
            index.append(draw(st.integers(0, extent - 1)))
    return tuple(index)


@given(view=views(), order=st.permutations((0, 1, 2)))
def test_copy_between_views(view: tuple[slice | int, ...], order: list[int]):
    a = np.arange(np.prod(EXTENTS), dtype=np.int16).reshape(EXTENTS)
    source = a[view]
    order = [axis for axis in order if axis < source.ndim]
    source = source.transpose(order)
    if source.ndim == 0 or not source.size:
        return
    out = np.full(tuple(2 * extent for extent in source.shape), -1, np.int16)
    every_other = (slice(None, None, -2),) * source.ndim
    expected = out.copy()
    expected[every_other] = source
    copy(source.ndim)(
        source, out[every_other], global_size=source.shape[::-1], group_size=(4, 2)
    )
    assert_array_equal(out, expected)
