"""
What xDSL 0.74 lacks of upstream's `arith`, `memref`, `vector`, `scf`, `gpu` and `llvm`.

| dialect  | repair | module |
| -------- | ------ | ------ |
| `arith`  | compare, select and casts take vectors; compares keep their attributes | `elementwise` |
| `arith`  | `index_castui`, `remf` | `missing_arith` |
| `memref` | `prefetch` | `prefetch` |
| `memref` | syntax of `cast`, `copy`, `global` | `memref_syntax` |
| `vector` | `gather`, `scatter`, `step` | `memory` |
| `scf`    | `execute_region` without results prints its terminators | `execute_region` |
| `scf`    | syntax of `parallel` | `parallel_syntax` |
| `scf`    | several threads may build ops that add their own terminators | `implicit_builder` |
| `gpu`    | syntax of what kernels have | `gpu_syntax` |
| `gpu`    | `shuffle` | `gpu_shuffle` |
| `llvm`   | `atomicrmw`, `cmpxchg` | `atomics` |

xDSL's own classes are changed in place, because everybody who holds them (parser,
passes, other plugins) must see the same ops. Scalar code behaves exactly as before. The
version of xDSL is fixed: whoever raises it looks here for what can go.

The stock `xdsl-opt` gets a repair when it first uses the dialect (see
`spmd.universe`); passes and the API call `ensure()`.
"""

from __future__ import annotations

from importlib import import_module
from threading import Lock

from xdsl.ir import Dialect, Operation

_REPAIRS = {
    "arith": "spmd.dialects.compat.elementwise",
    "memref": "spmd.dialects.compat.prefetch",
    "vector": "spmd.dialects.compat.memory",
    "scf": "spmd.dialects.compat.execute_region",
    "llvm": "spmd.dialects.compat.atomics",
    "gpu": "spmd.dialects.compat.gpu_syntax",
}
_done: set[str] = set()
_lock = Lock()

REPAIRED_DIALECTS = tuple(_REPAIRS)
"""The dialects of xDSL that a repair exists for."""

_KERNEL_DIALECTS = ("arith", "memref", "vector", "scf")
"""Those in use in every kernel; to import the others takes time that few need to spend."""


def add_missing(dialect: Dialect, *ops: type[Operation]) -> None:
    """Make `ops` members of a dialect of xDSL that has none of their names."""
    # The list has no public way in; `Dialect` keeps and exposes this very list.
    dialect._operations.extend(ops)  # pyright: ignore[reportPrivateUsage]


def ensure(*dialects: str) -> None:
    """Repair `dialects`, by default those of kernels; does nothing the second time."""
    for dialect in dialects or _KERNEL_DIALECTS:
        if dialect in _done:
            continue
        with _lock:
            if dialect not in _done:
                import_module(_REPAIRS[dialect]).repair()
                _done.add(dialect)
