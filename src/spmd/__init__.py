"""
SPMD kernels for CPUs: a multi-level compiler on xDSL and llvmlite.

```python
import numpy as np, spmd

program = spmd.compile("group_sum.mlir")     # a path, MLIR text, or an xDSL ModuleOp
group_sum = program["group_sum"]
group_sum(x, out, global_size=x.size)        # NumPy arrays and numbers
launch = group_sum.bind(x, out, global_size=x.size)
launch()                                     # as cheap as a C call
```

Every `xdsl-opt` call imports this package, so nothing is loaded before it is used.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from spmd.frontends.python.arrays.elementwise import map, stencil
    from spmd.frontends.python.arrays.reductions import reduce
    from spmd.frontends.python.arrays.scans import scan
    from spmd.frontends.python.decorators import function, kernel
    from spmd.frontends.python.kernel import PythonKernel
    from spmd.frontends.python.tuning import TunedKernel, autotune
    from spmd.reference.checking.findings import Report
    from spmd.runtime.cache.disk import cache
    from spmd.runtime.check import check
    from spmd.runtime.errors import CompileError, InternalError, LaunchError, LaunchTimeout
    from spmd.runtime.explanation.explanation import Explanation
    from spmd.runtime.host_function import HostCall, HostFunction
    from spmd.runtime.kernel import Kernel
    from spmd.runtime.launching.launch import Launch
    from spmd.runtime.arguments.local_memory import LocalMemory, local
    from spmd.runtime.program import Program, compile

__all__ = [
    "CompileError",
    "Explanation",
    "HostCall",
    "HostFunction",
    "InternalError",
    "Kernel",
    "Launch",
    "LaunchError",
    "LaunchTimeout",
    "LocalMemory",
    "Program",
    "PythonKernel",
    "Report",
    "cache",
    "TunedKernel",
    "autotune",
    "check",
    "compile",
    "function",
    "kernel",
    "local",
    "map",
    "reduce",
    "scan",
    "stencil",
]

LOADED_NS = time.time_ns()
"""When this process began to load the compiler."""

_HOME = {
    "CompileError": "spmd.runtime.errors",
    "Explanation": "spmd.runtime.explanation.explanation",
    "HostCall": "spmd.runtime.host_function",
    "HostFunction": "spmd.runtime.host_function",
    "InternalError": "spmd.runtime.errors",
    "Kernel": "spmd.runtime.kernel",
    "Launch": "spmd.runtime.launching.launch",
    "LaunchError": "spmd.runtime.errors",
    "LaunchTimeout": "spmd.runtime.errors",
    "LocalMemory": "spmd.runtime.arguments.local_memory",
    "Program": "spmd.runtime.program",
    "PythonKernel": "spmd.frontends.python.kernel",
    "Report": "spmd.reference.checking.findings",
    "cache": "spmd.runtime.cache.disk",
    "TunedKernel": "spmd.frontends.python.tuning",
    "autotune": "spmd.frontends.python.tuning",
    "check": "spmd.runtime.check",
    "compile": "spmd.runtime.program",
    "function": "spmd.frontends.python.decorators",
    "kernel": "spmd.frontends.python.decorators",
    "local": "spmd.runtime.arguments.local_memory",
    "map": "spmd.frontends.python.arrays.elementwise",
    "reduce": "spmd.frontends.python.arrays.reductions",
    "scan": "spmd.frontends.python.arrays.scans",
    "stencil": "spmd.frontends.python.arrays.elementwise",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("xdsl-spmd")
    if name == "dask":
        return import_module("spmd.dask")
    if name not in _HOME:
        raise AttributeError(f"module 'spmd' has no attribute '{name}'")
    value = globals()[name] = _load(_HOME[name], name)
    return value


def _load(module: str, name: str) -> object:
    """
    Imports without looking for garbage meanwhile, which there is not: everything stays.

    What was imported becomes old at once, as it would after two looks at all of it; both
    together are a seventh of the time to the first result.
    """
    import gc

    collecting = gc.isenabled()
    gc.disable()
    try:
        return getattr(import_module(module), name)
    finally:
        if collecting:
            gc.enable()
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
