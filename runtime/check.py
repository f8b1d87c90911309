"""
`spmd.check`: is the kernel itself wrong?

The kernel runs in the reference interpreter, on the caller's arrays, while every access to
memory and every barrier is watched. What is found is told as a sanitizer tells it.

```python
report = spmd.check("group_sum.mlir", x, out, global_size=1000, group_size=64)
if not report:
    print(report)
```

A host function runs with all its launches, and a fault in one of them names it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from spmd.runtime.arguments.sizes import Size
from spmd.runtime.host_function import HostFunction
from spmd.runtime.kernel import Kernel
from spmd.runtime.program import Program, chosen, compile

if TYPE_CHECKING:
    from spmd.reference.checking.findings import Report


def check(
    source: str | os.PathLike[str] | ModuleOp | Program | Kernel | HostFunction,
    *args: Any,
    kernel: str | None = None,
    global_size: Size | None = None,
    group_size: Size | None = None,
    schedule: str = "in-order",
    seed: int = 0,
    timeout: float | None = None,
) -> Report:
    """
    Runs a kernel, or a host function, in the interpreter and reports what the language
    does not allow.

    | argument | meaning |
    | -------- | ------- |
    | `source` | a path, MLIR text, a module, a `Program`, or a kernel or host function of one |
    | `*args`  | as for a launch; arrays are changed, so give small ones, or copies |
    | `kernel` | the name of a kernel or host function, if there are several kernels |
    | `global_size`, `group_size` | as for a launch; not for a host function |
    | `schedule` | in which order work-items take turns: `"in-order"`, `"reversed"`, `"random"` |
    | `seed`   | of the random order |
    | `timeout` | seconds, after which the check is given up with a `LaunchTimeout` |

    At most 2**24 work-items are checked, of each launch; on a terminal you see how far it is.

    The report is true if nothing was found, and prints as text; `report.findings` has
    the faults one by one. Raises `CompileError` and `LaunchError` as a launch does.
    """
    if not isinstance(source, Kernel | HostFunction):
        if not isinstance(source, Program):
            # Whether all work-items come to a barrier is what the run will show.
            source = compile(source, divergent_barriers="allow")
        source = chosen(source, kernel, "kernel=")
    return source.check(
        *args,
        global_size=global_size,
        group_size=group_size,
        schedule=schedule,
        seed=seed,
        timeout=timeout,
    )
