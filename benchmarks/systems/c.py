"""C with OpenMP, compiled by clang or gcc."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.suite.case import Case
from benchmarks.systems.system import Missing, OnArrays, Unsupported

COMPILE = ("-O3", "-march=native", "-ffast-math", "-fopenmp", "-fPIC", "-c")
LINK = ("-fopenmp", "-shared")
"""Not with `-ffast-math`: then the library would flush subnormals in the whole process."""


def load_c(source: Path, library: Path, options: Sequence[str] = ()) -> ctypes.CDLL:
    """Compile a file of C to a library, and load it; raises `Missing` without a compiler."""
    compiler, code = c_compiler(), library.with_suffix(".o")
    subprocess.run([compiler, *COMPILE, *options, source, "-o", code], check=True)
    subprocess.run([compiler, *LINK, code, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def c_compiler() -> str:
    """`CC`, or the newest clang, or what `cc` is; raises `Missing`."""
    versions = [f"clang-{version}" for version in range(30, 13, -1)]
    for name in (os.environ.get("CC", ""), "clang", *versions, "gcc", "cc"):
        if name and shutil.which(name):
            return name
    raise Missing("a C compiler: clang or gcc with OpenMP")


class C(OnArrays):
    """The C function beside the kernel, on the same arrays."""

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        c_compiler()
        return {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}

    def __init__(self, case: Case, threads: int):
        super().__init__(case, threads)
        self.source = case.source.with_suffix(".c")
        if not self.source.exists():
            raise Unsupported("no C version")

    def compile(self, nonce: int) -> None:
        compiler = c_compiler()
        options = [f"-D{name}={value}" for name, value in self.case.defines.items()]
        if not self.case.fast_math:
            options.append("-fno-fast-math")
        if "clang" in Path(compiler).name:
            options.append("-fveclib=libmvec")  # as gcc does by itself
        with TemporaryDirectory() as folder:
            library = load_c(self.source, Path(folder) / f"kernel{nonce}.so", options)
            self.function = getattr(library, self.case.loops.__name__)
        self.arguments = [
            ctypes.c_void_p(self.arrays[a].ctypes.data)
            if isinstance(a, str)
            else ctypes.c_long(a)
            for a in self.case.call
        ]

    def run(self) -> None:
        self.function(*self.arguments)
