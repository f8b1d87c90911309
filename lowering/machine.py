"""
The machine that code is made for: triple, CPU, features, and what follows from them.

`PORTABLE` assumes nothing. Its text is the same on every host, and math functions of
vectors are called lane by lane in it.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import IO

from spmd.dialects.diagnostics import KernelError
from spmd.dialects.names import BINARY, UNARY
from spmd.lowering.llvm_binding import initialize_llvm, llvm
from spmd.lowering.loading.object_code import VECTOR_LIBRARY

_REGISTER_BITS = {"b": 128, "d": 256, "e": 512}
"""By letter of the x86 vector function ABI: SSE, AVX2, AVX-512."""


@dataclass(frozen=True)
class Machine:
    """A target of code generation; empty strings leave the choice to LLVM."""

    triple: str = ""
    cpu: str = ""
    features: str = ""
    vector_bits: int = 0
    """Of the widest registers; 0 if that is not known."""
    vector_abi: str = ""
    """Letter of the vector function ABI; empty if there are no vector functions."""
    vector_functions: frozenset[str] = frozenset()
    """The functions that exist as vector functions, as in libm: `expf`, `pow`."""

    @property
    def is_x86(self) -> bool:
        """Whether this is said to be an x86-64."""
        return self.triple.startswith("x86_64")

    @property
    def has_masks(self) -> bool:
        """Whether a mask may have one bit for each lane."""
        return not self.is_x86 or self.vector_bits >= 512

    @property
    def registers(self) -> int:
        """How many vector registers there are; of unknown machines, as most have."""
        return 16 if self.is_x86 and self.vector_bits < 512 else 32

    def header(self) -> str:
        """The head of an LLVM module."""
        return f'target triple = "{self.triple}"' if self.triple else ""

    def vector_variant(self, lanes: int, bits: int) -> tuple[str, int]:
        """
        Letter and lanes of the vector functions for so many lanes.

        The narrowest that takes all of them, or the widest that this machine has.
        """
        letter, width = "", 0
        for letter, register in _REGISTER_BITS.items():
            width = register // bits
            if width >= lanes or letter == self.vector_abi:
                break
        return letter, width


PORTABLE = Machine()


@cache
def host_machine() -> Machine:
    """This machine with all its features, and the vector functions that are installed."""
    features = llvm.get_host_cpu_features()
    flags = features.flatten()
    if features.get("avx512f"):
        # LLVM avoids the widest registers on some CPUs; explicit vectors and loops do
        # best when both use them.
        flags += ",-prefer-256-bit"
    functions = _installed_vector_functions(features)
    triple = llvm.get_process_triple()
    on_x86 = triple.startswith("x86_64")
    return Machine(
        triple=triple,
        cpu=llvm.get_host_cpu_name(),
        features=flags,
        vector_bits=_REGISTER_BITS[_vector_abi(features)] if on_x86 else 0,
        vector_abi=_vector_abi(features) if functions else "",
        vector_functions=functions,
    )


def _vector_abi(features: dict[str, bool]) -> str:
    if features.get("avx512f"):
        return "e"
    return "d" if features.get("avx2") else "b"


def vector_function(letter: str, lanes: int, name: str) -> str:
    """The symbol of a vector function without a mask."""
    parameters = "vv" if name.removesuffix("f") in BINARY else "v"
    return f"_ZGV{letter}N{lanes}{parameters}_{name}"


def _installed_vector_functions(features: dict[str, bool]) -> frozenset[str]:
    try:
        library = ctypes.CDLL(VECTOR_LIBRARY)
    except OSError:
        return frozenset()
    letter = _vector_abi(features)
    lanes = _REGISTER_BITS[letter] // 64
    return frozenset(
        name
        for function in (*UNARY, *BINARY)
        for name, count in ((function, lanes), (f"{function}f", 2 * lanes))
        if hasattr(library, vector_function(letter, count, name))
    )


def machine_for(triple: str = "", cpu: str = "", features: str = "") -> Machine:
    """
    A machine described by LLVM's names; `host` as CPU is this one.

    Vector functions are assumed where the triple says x86-64 with glibc. A name that
    LLVM does not know is a `KernelError`.
    """
    initialize_llvm()
    if cpu == "host":
        host = host_machine()
        if triple in ("", host.triple) and not features:
            return host
        cpu = host.cpu
        features = ",".join(part for part in (host.features, features) if part)
    if not (triple or cpu or features):
        return PORTABLE
    triple = triple or llvm.get_process_triple()
    assembly = _probe_assembly(triple, cpu, features)
    letter, bits = "", 0
    if triple.startswith("x86_64"):
        # LLVM does not tell what its names of CPUs mean, but it shows in its code.
        letter = "e" if "%zmm" in assembly else "d" if "%ymm" in assembly else "b"
        bits = _REGISTER_BITS[letter]
    if not triple.endswith("linux-gnu"):
        letter = ""
    every = frozenset(
        name for function in (*UNARY, *BINARY) for name in (function, f"{function}f")
    )
    functions = every if letter else frozenset[str]()
    return Machine(triple, cpu, features, bits, letter, functions)


_PROBE = """
define void @probe(ptr %p) {
  %x = load <16 x i32>, ptr %p, align 4
  %y = add <16 x i32> %x, %x
  store <16 x i32> %y, ptr %p, align 4
  ret void
}
"""


@cache
def _probe_assembly(triple: str, cpu: str, features: str) -> str:
    """The code for sums of vectors of 512 bits."""
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as error:
        message = f"expected a triple that LLVM knows, got {triple}: {error}"
        raise KernelError(message) from error
    if triple.startswith("x86_64"):
        # An unknown CPU has no features, and without this one LLVM ends the process.
        features = ",".join(part for part in (features, "+64bit") if part)
    with _standard_error() as file:
        machine = target.create_target_machine(cpu=cpu, features=features)
        assembly: str = machine.emit_assembly(llvm.parse_assembly(_PROBE))
        file.seek(0)
        complaints = file.read().decode().splitlines()
    # LLVM writes to the standard error and goes on without the CPU or the feature.
    unknown = [line for line in complaints if "is not a recognized" in line]
    if unknown:
        raise KernelError(f"expected a CPU and features that LLVM knows: {unknown[0]}")
    return assembly


@contextmanager
def _standard_error() -> Generator[IO[bytes]]:
    """What C code of the process writes to its standard error."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield file
        finally:
            os.dup2(kept, 2)
            os.close(kept)
