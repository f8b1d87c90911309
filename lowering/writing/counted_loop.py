"""A loop that counts: `scf.for`, each dimension of `scf.parallel`, copies of memrefs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from spmd.lowering.writing.control_flow import Join
from spmd.lowering.writing.function_writer import FunctionWriter


class CountedLoop:
    """A loop of `counter` from `lower` to `upper`, not included, by `step`."""

    def __init__(
        self,
        writer: FunctionWriter,
        lower: str,
        upper: str,
        step: str = "1",
        *,
        type_: str = "i64",
        saturates: bool = False,
        hint: str | None = None,
        carried: Sequence[SSAValue] = (),
        initial: Sequence[str] = (),
    ):
        """
        Writes the head, where `carried` become phis, and starts the body.

        A counter that could pass the largest number `saturates`: that is never below
        `upper`. LLVM knows less of such a loop.
        """
        self._writer, self._type, self._step = writer, type_, step
        self._saturates = saturates
        self._head, self._after = writer.fresh("for"), writer.fresh("endfor")
        entered = writer.block
        writer.jump(self._head)
        self._join = Join(writer, self._head).start()
        self.counter = self._join.phi(type_, hint or "i")
        self._join.bind(carried)
        self._join.add(entered, [lower, *initial])
        more = writer.temp(f"icmp slt {type_} {self.counter}, {upper}")
        body = writer.fresh("body")
        writer.emit(f"br i1 {more}, label %{body}, label %{self._after}")
        writer.start(body)

    def finish(self, carried: Sequence[str] = (), hints: Sequence[str] = ()) -> None:
        """Writes the step and starts the block after the loop; `hints` are for LLVM."""
        writer = self._writer
        type_ = self._type
        if self._saturates:
            operands = [(type_, self.counter), (type_, self._step)]
            step = writer.call(f"llvm.sadd.sat.{type_}", type_, operands)
        else:
            step = f"add nsw {type_} {self.counter}, {self._step}"
        advanced = writer.temp(step, f"{self.counter[1:]}.next")
        self._join.add(writer.block, [advanced, *carried])
        way_back = f"br label %{self._head}"
        if hints:
            way_back += f", !llvm.loop {writer.module.loop(*hints)}"
        writer.emit(way_back)
        self._join.finish()
        writer.start(self._after)
