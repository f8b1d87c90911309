"""
What runs a `Case`: the protocol of all systems, and what those on NumPy arrays share.

A system is made for one case in one process, compiles it, and runs it as often as asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from benchmarks.suite.case import Array, Case


class Missing(Exception):
    """What this machine has not got, and how to get it."""


class Unsupported(Exception):
    """What a system cannot run, in words."""


class System(ABC):
    """One compiler and its runtime, with the buffers of one case."""

    def __init__(self, case: Case, threads: int):
        self.case = case
        self.threads = threads

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        """
        Variables that must be set when the process starts; `folder` is there to write to.

        Raises `Missing`, here and in the constructor.
        """
        del folder, threads
        return {}

    @abstractmethod
    def compile(self, nonce: int) -> None:
        """From source to code; another `nonce` is another source, equal but for a name."""

    @abstractmethod
    def run(self) -> None:
        """All launches, and the wait for their end."""

    @abstractmethod
    def restore(self) -> None:
        """Puts back what the arrays were at first."""

    @abstractmethod
    def result(self, name: str) -> Array:
        """What the array of this name holds."""


def aligned(array: Array) -> Array:
    """A copy that starts at a 128-byte boundary, as OpenCL's buffers do."""
    room = np.empty(array.nbytes + 128, np.uint8)
    start = -room.ctypes.data % 128
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class OnArrays(System):
    """A system that works on NumPy arrays in place."""

    def __init__(self, case: Case, threads: int):
        super().__init__(case, threads)
        self.arrays = {name: aligned(array) for name, array in case.arrays.items()}

    def flat(self, name: str) -> Array:
        """The array as one dimension, which the kernels index."""
        return self.arrays[name].reshape(-1)

    def restore(self) -> None:
        for name, array in self.case.arrays.items():
            self.arrays[name][...] = array

    def result(self, name: str) -> Array:
        return self.arrays[name]
