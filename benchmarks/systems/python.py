"""Numba on the plain loops, and NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from benchmarks.suite.plain import INLINED
from benchmarks.systems.system import Missing, OnArrays, Unsupported


class Numba(OnArrays):
    """The plain loops, compiled with `prange` and relaxed floating-point rules."""

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        if find_spec("numba") is None:
            raise Missing("numba: pip install 'xdsl-spmd[bench]'")
        return {"NUMBA_NUM_THREADS": str(threads), "NUMBA_CACHE_DIR": folder}

    def compile(self, nonce: int) -> None:
        numba: Any = import_module("numba")
        rules = {"fastmath": self.case.fast_math, "error_model": "numpy"}
        loops: Any = self.case.loops
        loops.__globals__["prange"] = numba.prange
        for name, value in tuple(loops.__globals__.items()):
            if isinstance(value, Callable) and value in INLINED:
                loops.__globals__[name] = numba.njit(**rules)(value)
        self.function = numba.njit(parallel=True, **rules)(loops)
        self.arguments = [
            self.flat(a) if isinstance(a, str) else a for a in self.case.call
        ]
        self.function.compile(tuple(numba.typeof(a) for a in self.arguments))

    def run(self) -> None:
        self.function(*self.arguments)


class Numpy(OnArrays):
    """NumPy's best form, for the cases that have one."""

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        return {"OPENBLAS_NUM_THREADS": str(threads)}

    def compile(self, nonce: int) -> None:
        if self.case.numpy is None:
            raise Unsupported("no NumPy version")

    def run(self) -> None:
        assert self.case.numpy is not None, "compiled before"
        self.case.numpy(self.arrays)
