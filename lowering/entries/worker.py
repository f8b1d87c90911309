"""
The worker of a kernel: what several threads call at once.

    void k.worker(const void *args, int64_t *next, int64_t groups, int64_t chunk,
                  void *scratch);

It takes chunks of groups from the shared counter `next`
(atomically, starting at 0) until all `groups` have been taken.
"""

from __future__ import annotations

from spmd.lowering.writing.module_writer import quoted
from spmd.lowering.writing.symbols import exported_symbol

WORKER_SUFFIX = ".worker"


def worker(kernel: str, returned: str) -> str:
    """
    The function, as text; the entry of `kernel` returns `returned`.

    Nothing in it is worth LLVM's time, least of all a copy of the entry.
    """
    symbol = exported_symbol(kernel)
    return f"""\
define void @{quoted(symbol + WORKER_SUFFIX)}(ptr noalias readonly %args, ptr %next, \
i64 %groups, i64 %chunk, ptr %scratch) nounwind noinline optnone {{
entry:
  br label %take
take:
  %first = atomicrmw add ptr %next, i64 %chunk monotonic, align 8
  %some = icmp slt i64 %first, %groups
  br i1 %some, label %run, label %done
run:
  %end = add i64 %first, %chunk
  %last = call i64 @llvm.smin.i64(i64 %end, i64 %groups)
  call {returned} @{quoted(symbol)}(ptr %args, i64 %first, i64 %last, \
ptr %scratch)
  br label %take
done:
  ret void
}}"""
