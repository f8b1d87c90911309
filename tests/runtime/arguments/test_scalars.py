"""Numbers as kernel arguments."""

import math
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spmd.runtime.arguments.elements import ELEMENTS
from spmd.runtime.arguments.scalars import pack_scalar


@pytest.mark.parametrize(
    ("type_", "value", "packed"),
    [
        ("i1", True, 1),
        ("i1", np.bool_(False), 0),
        ("i1", 1, 1),
        ("i8", -1, 255),
        ("i8", 255, 255),
        ("i16", np.uint16(65535), 65535),
        ("i32", np.int64(-(2**31)), 2**31),
        ("i64", 2**64 - 1, 2**64 - 1),
        ("index", np.array(7), 7),
        ("f32", 3, 3.0),
        ("f64", np.float32(0.5), 0.5),
        ("f16", ml_dtypes.bfloat16(2), 2.0),
        ("f16", 65519.9, 65519.9),
        ("f32", math.inf, math.inf),
        ("bf16", 1.0, 0x3F80),
        ("bf16", -math.inf, 0xFF80),
    ],
)
def test_number_is_packed(type_: str, value: Any, packed: float):
    assert pack_scalar(ELEMENTS[type_])(value) == packed


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        ("i1", 2, "expected a bool, got int 2"),
        ("i1", 1.0, "expected a bool, got float 1.0"),
        ("i8", 256, "expected a number from -128 to 255, got 256"),
        ("i8", -129, "expected a number from -128 to 255, got -129"),
        ("index", -(2**62) - 1, "expected a number from -4611686018427387904 to 46"),
        ("i32", 1.0, "expected a whole number, got float 1.0"),
        ("i32", "1", "expected a whole number, got str '1'"),
        ("i32", np.zeros(3), r"expected a whole number, got an array of shape \(3,\)"),
        ("f32", "1.0", "expected a number, got str '1.0'"),
        ("f32", None, "expected a number, got NoneType None"),
        ("f32", 1j, "expected a number, got complex 1j"),
        ("f32", np.zeros(1), r"expected a number, got an array of shape \(1,\)"),
        ("f16", 65520.0, "expected a number smaller than 65520 in magnitude"),
        ("f32", -3.5e38, "expected a number smaller than 3.40282e[+]38 in magnitude"),
        ("bf16", 3.4e38, "expected a number smaller than 3.39618e[+]38 in magnitude"),
        ("f64", 10**400, "expected a number that fits"),
    ],
)
def test_what_does_not_fit_is_an_error(type_: str, value: Any, message: str):
    with pytest.raises(ValueError, match=message):
        pack_scalar(ELEMENTS[type_])(value)


@given(st.floats(width=32, allow_nan=False))
def test_bfloat16_rounds_to_nearest_even_once(value: float):
    try:
        bits = pack_scalar(ELEMENTS["bf16"])(value)
    except ValueError:
        assert np.isinf(np.float32(value).astype(ml_dtypes.bfloat16))
        return
    # What ml_dtypes rounds from float32 is rounded once.
    assert bits == int(np.float32(value).astype(ml_dtypes.bfloat16).view(np.uint16))


def test_bfloat16_rounds_float64_once():
    # Just above the middle of two bfloat16 numbers, but the middle itself as a float32.
    value = 1.00390625 + 2.0**-40
    assert pack_scalar(ELEMENTS["bf16"])(value) == 0x3F81


def test_bfloat16_keeps_nan():
    bits = pack_scalar(ELEMENTS["bf16"])(math.nan)
    assert math.isnan(struct.unpack("<f", struct.pack("<I", int(bits) << 16))[0])


@given(st.floats(allow_nan=False))
def test_what_is_accepted_can_be_packed(value: float):
    for type_ in ("f16", "f32", "f64"):
        try:
            packed = pack_scalar(ELEMENTS[type_])(value)
        except ValueError:
            continue
        struct.pack(ELEMENTS[type_].code, packed)
