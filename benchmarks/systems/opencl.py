"""OpenCL runtimes for CPUs, through pyopencl: Intel's and PoCL."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suite.case import Array, Case
from benchmarks.systems.system import Missing, System, Unsupported

FAST_MATH = ("-cl-fast-relaxed-math", "-cl-mad-enable")


class OpenCL(System):
    """The runtime whose platform's name contains `platform`; buffers are its own."""

    platform = ""

    @staticmethod
    def library() -> str:
        """The library of the runtime, as the loader finds it; raises `Missing`."""
        raise NotImplementedError

    @classmethod
    def loader(cls, folder: str) -> Mapping[str, str]:
        """Makes OpenCL's loader see this runtime and no other."""
        if find_spec("pyopencl") is None:
            raise Missing("pyopencl: pip install 'xdsl-spmd[bench]'")
        vendors = Path(folder) / "vendors"
        vendors.mkdir()
        (vendors / "runtime.icd").write_text(f"{cls.library()}\n")
        return {"OCL_ICD_VENDORS": str(vendors)}

    def __init__(self, case: Case, threads: int):
        super().__init__(case, threads)
        source = case.source.with_suffix(".cl")
        self.text = source.read_text()
        self.cl: Any = import_module("pyopencl")
        platforms = [p for p in self.cl.get_platforms() if self.platform in p.name]
        if not platforms:
            raise Missing(f"an OpenCL platform called {self.platform}")
        device = platforms[0].get_devices()[0]
        self.context = self.cl.Context([device])
        self.queue = self.cl.CommandQueue(self.context)
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        self.buffers = {
            name: self.cl.Buffer(
                self.context, flags, hostbuf=np.ascontiguousarray(array)
            )
            for name, array in case.arrays.items()
        }
        self.steps: list[tuple[Any, ...]] = []

    def compile(self, nonce: int) -> None:
        options = [f"-D{k}={v}" for k, v in self.case.defines.items()]
        options += [f"-DNONCE={nonce}", *(FAST_MATH if self.case.fast_math else ())]
        if "work_group_reduce" in self.text:
            options.append("-cl-std=CL3.0")
        program = self.cl.Program(self.context, self.text)
        try:
            program.build(options=options, cache_dir=False)
        except self.cl.RuntimeError as error:
            if "work_group_reduce" in str(error):
                raise Unsupported("no collectives of the work-group") from error
            raise
        kernels: dict[str, Any] = {}
        self.steps = []
        for name, global_size, group_size, arguments in self.case.launches:
            kernel = kernels.setdefault(name, self.cl.Kernel(program, name))
            values = [self.buffers[a] if isinstance(a, str) else a for a in arguments]
            self.steps.append((kernel, global_size, group_size, values))

    def run(self) -> None:
        enqueue = self.cl.enqueue_nd_range_kernel
        for kernel, global_size, group_size, values in self.steps:
            kernel.set_args(*values)
            enqueue(self.queue, kernel, global_size, group_size)
        self.queue.finish()

    def restore(self) -> None:
        for name, array in self.case.arrays.items():
            self.cl.enqueue_copy(
                self.queue, self.buffers[name], np.ascontiguousarray(array)
            )
        self.queue.finish()

    def result(self, name: str) -> Array:
        out = np.empty_like(np.ascontiguousarray(self.case.arrays[name]))
        self.cl.enqueue_copy(self.queue, out, self.buffers[name])
        return out


class Intel(OpenCL):
    """
    Intel's runtime from the wheels `intel-opencl-rt` and `intel-cmplr-lib-rt`.

    The second holds libraries that the first needs and does not ask for; without them the
    loader leaves the platform out in silence.
    """

    platform = "Intel"

    @staticmethod
    def library() -> str:
        folder = Path(sys.prefix) / "lib"
        for needed in ("libintelocl.so", "libsvml.so"):
            if not (folder / needed).exists():
                raise Missing(f"{needed}: pip install 'xdsl-spmd[bench]'")
        return str(folder / "libintelocl.so")

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        return {
            **cls.loader(folder),
            "LD_LIBRARY_PATH": str(Path(sys.prefix) / "lib"),
            "CL_CONFIG_CPU_TBB_NUM_WORKERS": str(threads),
        }


class Pocl(OpenCL):
    """
    PoCL as the system has it, with its loops over work-items vectorized.

    Old versions do that only when told to.
    """

    platform = "Portable Computing Language"

    @staticmethod
    def library() -> str:
        found = [
            icd.read_text().strip()
            for icd in sorted(Path("/etc/OpenCL/vendors").glob("pocl*.icd"))
        ]
        if not found:
            raise Missing("PoCL: the package pocl-opencl-icd of Debian and others")
        return found[0]

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        return {
            **cls.loader(folder),
            "POCL_KERNEL_CACHE": "0",
            "POCL_CACHE_DIR": f"{folder}/pocl",
            "POCL_MAX_PTHREAD_COUNT": str(threads),
            "POCL_CPU_MAX_CU_COUNT": str(threads),
            "POCL_WORK_GROUP_METHOD": "loopvec",
        }
