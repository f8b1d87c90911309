"""Python's collector of cycles waits while something is compiled."""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

from spmd.runtime.cache.stored import stored


@pytest.fixture(autouse=True)
def collector() -> Generator[None]:
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_enabled else gc.disable)()


def seen(key: str) -> bool:
    return stored((key,), gc.isenabled, lambda enabled: enabled, lambda: False)


def test_it_waits_and_goes_on():
    assert not seen("on")
    assert gc.isenabled()


def test_who_switched_it_off_finds_it_off():
    gc.disable()
    assert not seen("off")
    assert not gc.isenabled()


def test_it_goes_on_after_an_error():
    def fail() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stored(("error",), fail, lambda made: made)
    assert gc.isenabled()


def test_one_compilation_within_another():
    def make() -> tuple[bool, bool]:
        return seen("inner"), gc.isenabled()

    assert stored(("outer",), make, lambda made: made, lambda: False) == (False, False)
    assert gc.isenabled()
