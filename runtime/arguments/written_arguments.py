"""Which memrefs a kernel may write, so that read-only arrays are fine for the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.interfaces.control_flow import Forwarding, all_phis
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.interfaces.views import ViewLike, viewed_memories
from spmd.dialects.spmd import KernelOp, LaunchOp, LocalArgument


def written_arguments(
    kernel: KernelOp | func.FuncOp,
    functions: Mapping[str, func.FuncOp],
    kernels: Mapping[str, KernelOp] | None = None,
) -> frozenset[int]:
    """
    The numbers of the arguments that `kernel`, or a function it calls, may write.

    A host function may also write them through the `kernels` that it launches.

    Memory is followed through views, control flow and calls; what an unknown op does
    with a memref counts as a write.
    """
    kernels = kernels or {}
    flows = _Flows(functions, kernels)
    for function in (kernel, *functions.values(), *kernels.values()):
        for op in function.walk():
            flows.visit(op)
        for phi in all_phis(function):
            flows.flow([source.value for source in phi.sources], phi.values)
    reached = flows.reaching_a_write()
    arguments = kernel.body.blocks[0].args
    return frozenset(argument.index for argument in arguments if argument in reached)


class _Flows:
    """From which memrefs each memref may come, and which are written."""

    def __init__(
        self, functions: Mapping[str, func.FuncOp], kernels: Mapping[str, KernelOp]
    ):
        self._functions = functions
        self._kernels = kernels
        self._sources: defaultdict[SSAValue, list[SSAValue]] = defaultdict(list)
        self._written: list[SSAValue] = []

    def visit(self, op: Operation) -> None:
        memrefs = [v for v in op.operands if isinstance(v.type, MemRefType)]
        if not memrefs:
            return
        if ViewLike.of(op) is not None:
            self.flow(viewed_memories(op.results[0]), op.results)
        elif (access := MemoryAccess.of(op)) is not None:
            self._written.extend(access.writes(op))
        elif isinstance(op, func.CallOp):
            self._visit_call(op, memrefs)
        elif isinstance(op, LaunchOp):
            self._visit_launch(op)
        elif Forwarding.of(op) is None and not isinstance(op, func.ReturnOp):
            self._written.extend(memrefs)

    def _visit_call(self, call: func.CallOp, memrefs: list[SSAValue]) -> None:
        callee = self._functions.get(call.callee.string_value())
        if callee is None or not callee.body.blocks:
            self._written.extend(memrefs)
            return
        for operand, argument in zip(call.arguments, callee.body.blocks[0].args):
            self.flow((operand,), (argument,))
        # What a function returns comes from its arguments, whichever it is.
        self.flow(memrefs, call.results)

    def _visit_launch(self, launch: LaunchOp) -> None:
        kernel = self._kernels[launch.kernel.root_reference.data]
        arguments = kernel.body.blocks[0].args
        for given, argument in zip(launch.kernel_arguments(), arguments):
            if not isinstance(given, LocalArgument):
                self.flow((given,), (argument,))

    def flow(self, sources: Iterable[SSAValue], targets: Iterable[SSAValue]) -> None:
        for target in targets:
            if isinstance(target.type, MemRefType):
                self._sources[target].extend(sources)

    def reaching_a_write(self) -> Container[SSAValue]:
        return reachable(self._written, self._sources.__getitem__)
