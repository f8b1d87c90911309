"""Arrays as kernel arguments: what fits, what does not, and that nothing is copied."""

import os
from array import array
from ctypes import c_float
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import spmd
from spmd.dialects.limits import MAX_EXTENT
from spmd.runtime.arguments.arrays import ArrayLayout, is_small, overlap
from spmd.runtime.arguments.elements import ELEMENTS
from spmd.runtime.arguments.local_memory import LocalMemory, local


def layout(
    type_: str,
    *shape: int | None,
    strides: tuple[int | None, ...] | None = None,
    offset: int = 0,
    written: bool = True,
) -> ArrayLayout:
    return ArrayLayout("memref", ELEMENTS[type_], shape, strides, offset, written)


def fields(of: ArrayLayout, array: Any) -> list[int]:
    result: list[int] = []
    of.describe(array, result)
    return result


def pointer(array: Any) -> int:
    return array.__array_interface__["data"][0]


def test_contiguous_array_has_canonical_strides():
    array = np.zeros((2, 3, 4), np.float32)
    got = fields(layout("f32", None, None, None), array)
    assert got == [pointer(array), 0, 2, 3, 4, 12, 4, 1]


@pytest.mark.parametrize("shape", [(0,), (1,), (5,)])
def test_one_dimension(shape: tuple[int]):
    array = np.zeros(shape, np.float64)
    assert fields(layout("f64", None), array) == [pointer(array), 0, *shape, 1]


def test_no_dimension():
    array = np.array(2.5, np.float32)
    assert fields(layout("f32"), array) == [pointer(array), 0]


@pytest.mark.parametrize(
    "view",
    [
        np.s_[::2, ::3],
        np.s_[::-1, ::-2],
        np.s_[1:4, 5:6],
    ],
)
def test_strided_array_keeps_its_strides(view: tuple[slice, slice]):
    array = np.zeros((6, 12), np.float32)[view]
    got = fields(layout("f32", None, None, strides=(None, None)), array)
    rows, columns = (step // 4 for step in array.strides)
    assert got == [pointer(array), 0, *array.shape, rows, columns]


def test_broadcast_array_has_stride_zero():
    array = np.broadcast_to(np.float32(1), (3, 4))
    of = layout("f32", None, None, strides=(None, None), written=False)
    assert fields(of, array)[-2:] == [0, 0]


def test_static_offset_is_taken_off_the_pointer():
    array = np.zeros(8, np.float32)
    got = fields(layout("f32", None, strides=(1,), offset=5), array)
    assert got == [pointer(array) - 20, 5, 8, 1]


def test_stride_of_a_single_element_does_not_matter():
    array = np.zeros((4, 8), np.float32)[:, 3:4]
    assert fields(layout("f32", None, None, strides=(8, 1)), array)[-2:] == [8, 1]


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        ("i1", np.bool_),
        ("i8", np.int8),
        ("i8", np.uint8),
        ("i32", np.uint32),
        ("i64", np.longlong),
        ("index", np.int64),
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("bf16", np.uint16),
    ],
)
def test_dtype_fits(type_: str, dtype: Any):
    array = np.zeros(4, dtype)
    assert fields(layout(type_, None), array) == [pointer(array), 0, 4, 1]


@pytest.mark.parametrize(
    ("type_", "array", "message"),
    [
        ("f32", np.zeros(4), "expected an array of float32 for memref, got float64"),
        ("f32", np.zeros(4, ">f4"), "expected native byte order, got >f4"),
        ("i1", np.zeros(4, np.uint8), "expected an array of bool"),
        ("bf16", np.zeros(4, np.int16), "of ml_dtypes.bfloat16 or uint16"),
        ("f32", np.zeros((4, 4), np.float32), "expected an array with 1 dimension"),
        (
            "f32",
            np.zeros(8, np.float32)[::2],
            r"C-contiguous.*strides \(8,\) \(bytes\)",
        ),
        ("f32", np.frombuffer(b"\0" * 16, np.float32), "got a read-only one"),
        ("f32", np.zeros(17, np.uint8)[1:].view(np.float32), "aligned to 4 bytes"),
        ("f32", [1.0, 2.0], "expected an array of float32, got list; pass a NumPy"),
        ("f32", 1.0, "expected an array of float32, got float"),
        ("f32", np.float32(1), "expected an array of float32, got float32"),
        ("f32", LocalMemory((4,)), r"got spmd.local\(4\), which is for arguments in"),
    ],
)
def test_what_does_not_fit_is_an_error(type_: str, array: Any, message: str):
    with pytest.raises(ValueError, match=message):
        fields(layout(type_, None), array)


def test_read_only_array_fits_what_is_not_written():
    array = np.frombuffer(b"\0" * 16, np.float32)
    assert fields(layout("f32", None, written=False), array)[0] == pointer(array)


def test_static_sizes_are_compared():
    with pytest.raises(
        ValueError, match=r"expected the sizes \(any, 4\).*got \(2, 5\)"
    ):
        fields(layout("f32", None, 4), np.zeros((2, 5), np.float32))


def test_static_strides_are_compared():
    of = layout("f32", None, None, strides=(None, 1))
    with pytest.raises(ValueError, match=r"expected the strides \(any, 1\).*\(1, 4\)"):
        fields(of, np.zeros((3, 4), np.float32).T)


def test_strides_between_elements_are_an_error():
    field = np.zeros(4, [("a", "u1"), ("b", "<f4"), ("c", "u1")])["b"]
    with pytest.raises(ValueError, match="expected elements aligned to 4 bytes"):
        fields(layout("f32", None, strides=(None,)), field)


def test_dlpack_is_shared_not_copied():
    class Foreign:
        def __init__(self, array: Any):
            self.array = array

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    array = np.zeros(4, np.float32)
    assert fields(layout("f32", None), Foreign(array))[0] == pointer(array)


def test_array_interface_is_shared_not_copied():
    class Foreign:
        def __init__(self, array: Any):
            self.__array_interface__ = array.__array_interface__
            self.array = array

    array = np.zeros(4, np.float32)
    assert fields(layout("f32", None), Foreign(array))[0] == pointer(array)


def test_broken_dlpack_is_an_error():
    class Broken:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("on another device")

        def __dlpack_device__(self) -> Any:
            return 1, 0

    with pytest.raises(ValueError, match="got Broken: on another device"):
        fields(layout("f32", None), Broken())


def test_local_memory_is_described():
    result: list[int] = []
    assert layout("f16", 16, None).describe_local(local((16, 17)), result) == 544
    assert result == [0, 0, 16, 17, 17, 1]


def test_local_memory_of_another_shape_is_an_error():
    with pytest.raises(ValueError, match=r"expected the sizes \(16, any\)"):
        layout("f16", 16, None).describe_local(local((8, 17)), [])
    with pytest.raises(ValueError, match=r"expected spmd.local with 2 dimensions"):
        layout("f16", 16, None).describe_local(local(16), [])


@pytest.mark.parametrize("shape", [-1, (2, -1), 1.5, "abc", None, True, (True, 2)])
def test_local_memory_needs_sizes(shape: Any):
    with pytest.raises(ValueError, match=r"^spmd.local: expected"):
        local(shape)


def test_overlap_is_exact_for_interleaved_arrays():
    array = np.zeros(16, np.float32)
    assert overlap(array[:9], array[8:])
    assert not overlap(array[:8], array[8:])
    assert not overlap(array[::2], array[1::2])
    assert overlap(array[::2], array[::3])


@pytest.mark.parametrize(
    "buffer",
    [
        memoryview(array("f", [1, 1, 1, 1])),
        memoryview(array("f", [1] * 8))[2:6],
        (c_float * 4)(1, 1, 1, 1),
        array("f", [1, 1, 1, 1]),
    ],
)
def test_buffers_share_their_memory(buffer: Any):
    given: list[Any] = []
    described = layout("f32", None).describe(buffer, given)
    assert given == [pointer(described), 0, 4, 1]
    described[1] = 5
    assert buffer[1] == 5


@pytest.mark.parametrize(
    ("buffer", "message"),
    [
        (b"0123", "expected an array that can be written"),
        (
            memoryview(array("d", [1])),
            "of int8 or uint8 for memref, got float64",
        ),
        (
            [1, 2],
            "got list; pass a NumPy array, or what has __dlpack__ or the buffer",
        ),
        (np.ma.zeros(4, np.int8), "pass its .filled\\(...\\), or its .data to drop"),
    ],
)
def test_what_cannot_be_shared(buffer: Any, message: str):
    with pytest.raises(ValueError, match=message):
        fields(layout("i8", None), buffer)


def test_a_file_that_was_truncated_below_its_memmap(tmp_path: Path):
    file = tmp_path / "x.bin"
    file.write_bytes(bytes(8 + 64))
    mapped = np.memmap(file, np.float32, offset=8)
    views: list[Any] = [mapped, mapped[2:], np.asarray(mapped)[2:]]
    for view in views:
        assert fields(layout("f32", None), view)[0] == pointer(view)
    os.truncate(file, 8 + 63)
    for view in views:
        with pytest.raises(ValueError, match=r"at least 72 bytes .* got 71"):
            fields(layout("f32", None), view)


def test_assumed_alignment_is_held_against_the_launch():
    kernel = spmd.compile("""
      spmd.kernel @k(%x: memref<?xf32>, %y: memref<?xf32>) {
        %i = spmd.global_id x
        %a = memref.assume_alignment %x, 64 : memref<?xf32>
        %b = memref.assume_alignment %x, 4 : memref<?xf32>
        %v = memref.load %a[%i] : memref<?xf32>
        memref.store %v, %y[%i] : memref<?xf32>
        spmd.return
      }""")["k"]
    memory = np.arange(200, dtype=np.float32)
    first = -memory.ctypes.data % 64 // 4
    y = np.zeros(64, np.float32)
    kernel(memory[first : first + 64], y, global_size=64)
    assert (y == memory[first : first + 64]).all()
    with pytest.raises(spmd.LaunchError, match=r"\(%x\): .* at a multiple of 64 bytes"):
        kernel(memory[first + 1 : first + 65], y, global_size=64)


@pytest.mark.parametrize(
    ("array", "small"),
    [
        (np.zeros(5), True),
        (np.zeros((0, 5)), False),
        (np.zeros((4, 6))[::2, ::-3], True),
        (np.broadcast_to(np.int8(0), 1 << 30), False),
        (np.broadcast_to(np.int8(0), (1 << 30) - 1), True),
        (np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (1 << 32,)), True),
        (np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (1 << 33,)), False),
    ],
)
def test_arrays_that_are_small(array: np.ndarray[Any, Any], small: bool):
    """Elements count, and how far the last one is from the first."""
    assert is_small(array) == small


def test_no_array_has_more_elements_than_launches_have_work_items():
    """What has no memory of its own may have more, which code for its sizes does not expect."""
    large = np.broadcast_to(np.int8(1), (MAX_EXTENT + 1,))
    strided = layout("i8", None, strides=(None,), written=False)
    with pytest.raises(ValueError, match="expected at most 281474976710656 elements"):
        fields(strided, large)
    assert fields(strided, large[1:])[2:] == [MAX_EXTENT, 0]
    empty = np.empty((MAX_EXTENT + 1, 0), np.int8)
    with pytest.raises(ValueError, match="expected at most 281474976710656 elements"):
        fields(layout("i8", None, None), empty)
    assert fields(layout("i8", None, None), empty[1:])[2:4] == [MAX_EXTENT, 0]
