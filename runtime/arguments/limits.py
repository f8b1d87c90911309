"""
The limits of a work-group, and the errors of what goes beyond them.

They are the same on every machine, so that a kernel that runs on one runs on all.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation

from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import has_size, static_bytes
from spmd.dialects.interfaces.legality import HostOnly
from spmd.dialects.limits import MAX_LOCAL_BYTES, too_much_local_memory
from spmd.dialects.spmd import KernelOp, LocalAllocOp

MAX_PRIVATE_BYTES = 1 << 30
"""Bytes of `memref.alloca` of static size in one work-item."""


def check_kernel(kernel: KernelOp, called: list[Operation]) -> int:
    """
    Fails about the op of `kernel`, or of the functions `called`, that breaks a limit, or
    that work-items cannot execute.

    Returns the bytes of local memory that one work-group has, as far as each op counts
    once: a function that is inlined twice has its storage twice, which
    `place-group-memory` checks.
    """
    local, private = 0, 0
    for function in (kernel, *called):
        for op in function.walk():
            HostOnly.verify_for_work_items(op)
            if isinstance(op, LocalAllocOp):
                local += static_bytes(op.memref.type)
                if local > MAX_LOCAL_BYTES:
                    fail(op, too_much_local_memory(f"{local} with this allocation"))
            elif isinstance(op, memref.AllocaOp):
                if not has_size(op.memref.type.element_type):
                    what = "expected a private array of integers, floats or vectors"
                    fail(op, f"{what}, got {op.memref.type}")
                private += static_bytes(op.memref.type)
                if private > MAX_PRIVATE_BYTES:
                    fail(
                        op,
                        f"expected at most {MAX_PRIVATE_BYTES} bytes of private memory "
                        f"in a work-item, got {private} with this allocation; pass an "
                        "array as argument instead",
                    )
    return local
