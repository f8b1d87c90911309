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

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from spmd.reference.checking.findings import Report
    from spmd.runtime.check import check
    from spmd.runtime.errors import CompileError, InternalError, LaunchError
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
    "LocalMemory",
    "Program",
    "Report",
    "check",
    "compile",
    "local",
]

_HOME = {
    "CompileError": "spmd.runtime.errors",
    "Explanation": "spmd.runtime.explanation.explanation",
    "HostCall": "spmd.runtime.host_function",
    "HostFunction": "spmd.runtime.host_function",
    "InternalError": "spmd.runtime.errors",
    "Kernel": "spmd.runtime.kernel",
    "Launch": "spmd.runtime.launching.launch",
    "LaunchError": "spmd.runtime.errors",
    "LocalMemory": "spmd.runtime.arguments.local_memory",
    "Program": "spmd.runtime.program",
    "Report": "spmd.reference.checking.findings",
    "check": "spmd.runtime.check",
    "compile": "spmd.runtime.program",
    "local": "spmd.runtime.arguments.local_memory",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("xdsl-spmd")
    if name not in _HOME:
        raise AttributeError(f"module 'spmd' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
