"""
`spmd.poll`: a launch that has been given up ends here.

A poll is a load and a branch that is never taken. If it is, there is a message, or whoever
runs the launch wants to be asked: a function of the runtime does so. The record is described
in `lowering/writing/record.py`; where assertions are not reported, a poll is nothing.
"""

from __future__ import annotations

from spmd.dialects.spmd import PollOp
from spmd.lowering.ops.assertions import attention_address
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.record import KEEPS_REGISTERS, POLL
from spmd.lowering.writing.registry import emits


@emits(PollOp, may_fail=True)
def write_poll(writer: FunctionWriter, op: PollOp) -> None:
    """Writes a poll that leaves the function."""
    if writer.failed is None:
        return
    resume, stop = writer.fresh("resume"), writer.fresh("stop")
    write_stop(writer, stop, resume)
    writer.start(stop)
    writer.leave()
    writer.start(resume)


def write_stop(writer: FunctionWriter, stop: str, resume: str) -> None:
    """Ends the block with a poll that branches to `stop` or `resume`."""
    module = writer.module
    weights = module.likely()
    at = attention_address(writer)
    attention = writer.temp(f"load atomic i64, ptr {at} monotonic, align 8")
    quiet = writer.temp(f"icmp eq i64 {attention}, 0")
    ask = writer.fresh("ask")
    writer.emit(f"br i1 {quiet}, label %{resume}, label %{ask}, !prof {weights}")
    writer.start(ask)
    module.declare(POLL, "zeroext i1", ["ptr"], f"nounwind cold {KEEPS_REGISTERS}")
    answer = writer.temp(
        f"call zeroext i1 @{POLL}(ptr {writer.failed}) {KEEPS_REGISTERS}"
    )
    writer.emit(f"br i1 {answer}, label %{stop}, label %{resume}")
