"""
`spmd.poll`: a launch that has been given up ends here.

A poll is a load and a branch that is never taken. If it is, there is a message, or whoever
runs the launch wants to be asked: that function returns whether to stop. The record is
described in `lowering/writing/record.py`; where assertions are not reported, a poll is nothing.
"""

from __future__ import annotations

from spmd.dialects.spmd import PollOp
from spmd.lowering.ops.assertions import attention_address
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.record import ATTENTION
from spmd.lowering.writing.registry import emits

_ASK = "spmd.ask"

_KEEPS_REGISTERS = '"no_caller_saved_registers"'
"""
A call from the midst of a loop over vectors must not cost registers there: 87 instructions
more in Mandelbrot's, if it were one like any other. Where LLVM optimizes nothing, it restores
the register of the answer too, so that such code does not stop (seen with LLVM 22).
"""


def _ask(module: ModuleWriter) -> str:
    """The function that a poll calls which finds something; it returns whether to stop."""
    attributes = "nounwind noinline cold"
    if module.machine.is_x86:
        # LLVM puts a `vzeroupper` at the end, after it has restored the registers.
        features = ",".join(filter(None, (module.machine.features, "-vzeroupper")))
        attributes += f' {_KEEPS_REGISTERS} "target-features"="{features}"'
    return f"""\
define internal zeroext i1 @{_ASK}(ptr %record) {attributes} {{
  %message = load atomic ptr, ptr %record acquire, align 8
  %failed = icmp ne ptr %message, null
  br i1 %failed, label %stop, label %look
look:
  %at = getelementptr inbounds i8, ptr %record, i64 {ATTENTION + 8}
  %function = load atomic ptr, ptr %at acquire, align 8
  %nobody = icmp eq ptr %function, null
  br i1 %nobody, label %resume, label %ask
ask:
  %answer = call zeroext i1 %function(ptr %record)
  ret i1 %answer
resume:
  ret i1 false
stop:
  ret i1 true
}}"""


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
    weights = module.metadata('!"branch_weights", i32 1048576, i32 1')
    at = attention_address(writer)
    attention = writer.temp(f"load atomic i64, ptr {at} monotonic, align 8")
    quiet = writer.temp(f"icmp eq i64 {attention}, 0")
    ask = writer.fresh("ask")
    writer.emit(f"br i1 {quiet}, label %{resume}, label %{ask}, !prof {weights}")
    writer.start(ask)
    asked = module.helper(_ASK, lambda: _ask(module))
    call = f"call zeroext i1 @{asked}(ptr {writer.failed})"
    if module.machine.is_x86:
        call += f" {_KEEPS_REGISTERS}"
    answer = writer.temp(call)
    writer.emit(f"br i1 {answer}, label %{stop}, label %{resume}")
