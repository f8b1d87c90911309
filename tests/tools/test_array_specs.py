"""Kernel arguments as words."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.tools.array_specs import (
    DTYPES,
    bfloat16_bits,
    bfloat16_values,
    parse_argument,
)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("0x10", 16),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("inf", float("inf")),
        ("true", True),
        ("false", False),
        ("local[256]", spmd.local(256)),
        ("local[16, 17]", spmd.local((16, 17))),
    ],
)
def test_what_is_no_array(word: str, value: Any):
    got = parse_argument(word, 0, 0)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("kind", ["zeros", "ones", "range", "random"])
def test_every_kind_of_every_type(kind: str, type_: str):
    array = parse_argument(f"{kind}:{type_}[2,3]", 0, 0)
    assert array.dtype == DTYPES[type_]
    assert array.shape == (2, 3)
    values = bfloat16_values(array) if type_ == "bf16" else array
    if kind in ("zeros", "ones"):
        assert_array_equal(values, np.full((2, 3), kind == "ones"))
    elif kind == "range":
        expected = np.arange(6).reshape(2, 3)
        assert_array_equal(values, expected != 0 if type_ == "i1" else expected)


@pytest.mark.parametrize("shape", [(), (0,), (4,), (2, 3, 4)])
def test_shapes(shape: tuple[int, ...]):
    word = f"zeros:f32[{','.join(map(str, shape))}]"
    assert parse_argument(word, 0, 0).shape == shape


def test_random_depends_on_seed_and_number():
    def draw(number: int, seed: int) -> list[float]:
        return parse_argument("random:f32[8]", number, seed).tolist()

    assert draw(0, 0) == draw(0, 0)
    assert len({tuple(draw(n, s)) for n in (0, 1) for s in (0, 1)}) == 4
    assert all(0 <= value < 1 for value in draw(0, 0))


def test_bfloat16_is_rounded_to_nearest_even():
    values = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    expected = values.astype(ml_dtypes.bfloat16)
    assert_array_equal(bfloat16_bits(values), expected.view(np.uint16))
    assert_array_equal(bfloat16_values(bfloat16_bits(values)), expected.astype("f4"))


def test_what_is_no_array_does_not_ask_for_trust(tmp_path: Path):
    path = tmp_path / "x.npy"
    for content in (b"garbage that is no array", b"\0" * 1000, b"PK\3\4"):
        path.write_bytes(content)
        with pytest.raises(spmd.LaunchError, match="magic string") as error:
            parse_argument(str(path), 0, 0)
        assert "pickle" not in str(error.value)


def test_pickled_arrays_are_not_loaded(tmp_path: Path):
    path = tmp_path / "x.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(spmd.LaunchError, match="expected a file that NumPy can load"):
        parse_argument(str(path), 0, 0)
