"""Runs the passes one by one, and after each reads the decisions that it took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.barriers.barrier_regions import is_sync
from spmd.dialects.diagnostics import source_location
from spmd.dialects.spmd import KernelOp, SubGroupOp
from spmd.dialects.spmd.kernel import FULL_GROUPS, NOT_SPLIT_BY_FISSION
from spmd.dialects.work_groups import FULL_SUFFIX, SCRATCH_BYTES_SUFFIX
from spmd.passes.kernels.drop_redundant_barriers import DropRedundantBarriersPass
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.memory.place_group_memory import PlaceGroupMemoryPass
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass, sub_group_size
from spmd.passes.sub_groups.vector_width import Width
from spmd.passes.widening.widen_sub_groups import WidenSubGroupsPass, widen_sub_group
from spmd.passes.work_item_loops.clip_work_item_loops import ClipWorkItemLoopsPass
from spmd.passes.work_item_loops.kernels_to_functions import KernelsToFunctionsPass
from spmd.passes.work_item_loops.unswitch_work_item_loops import (
    UnswitchWorkItemLoopsPass,
)
from spmd.runtime.errors import SourceText, compile_errors
from spmd.runtime.explanation.barriers import (
    contexts_and_cells,
    dropped_barriers,
    local_arrays,
    scratch_bytes,
    stack_bytes,
    total,
)
from spmd.runtime.explanation.differences import differences
from spmd.runtime.explanation.facts import KernelFacts, Place
from spmd.runtime.explanation.loops import (
    Extent,
    FoundLoop,
    find_loops,
    watch,
    why_sub_groups,
    work_item_bounds,
)
from spmd.runtime.pipeline import run_passes


@dataclass
class _Version:
    """What is known so far of one kernel, or of its version for full groups."""

    facts: KernelFacts
    bounds: dict[scf.ForOp, SSAValue] = field(default_factory=dict[scf.ForOp, SSAValue])
    clipped: list[SSAValue] = field(default_factory=list[SSAValue])
    loops: list[FoundLoop] = field(default_factory=list[FoundLoop])


def explain_kernel(
    module: ModuleOp,
    name: str,
    passes: Iterable[ModulePass],
    *,
    continuations: bool,
    vectorize: bool,
    source: SourceText | None,
) -> KernelFacts:
    """
    What `passes` make of the kernel `name` of `module`, which they change.

    `continuations` says that no other strategy was allowed, `vectorize` that loops over
    work-items were to become lanes.
    """
    reader = _Reader(name, module, continuations, vectorize)
    for step in flatten(tuple(passes)):
        if isinstance(step, WidenSubGroupsPass):
            with compile_errors(source, f"running pass '{step.name}'"):
                reader.widen()
        run_passes(module, (step,), source)
        with compile_errors(source, f"explaining pass '{step.name}'"):
            reader.read(step)
    return reader.result()


class _Reader:
    """Reads the module after each pass."""

    def __init__(
        self, name: str, module: ModuleOp, continuations: bool, vectorize: bool
    ):
        self.name = name
        self.module = module
        self._continuations = continuations
        self._vectorize = vectorize
        self._versions: dict[str, _Version] = {}
        self._extent = Extent.of(self._kernels()[name])
        self._own_size = any(
            op.sub_group_size is not None for op in self._kernels().values()
        )

    def _kernels(self) -> dict[str, KernelOp]:
        names = (self.name, self.name + FULL_SUFFIX)
        return {
            op.sym_name.data: op
            for op in self.module.ops
            if isinstance(op, KernelOp) and op.sym_name.data in names
        }

    def _functions(self) -> dict[str, func.FuncOp]:
        return {
            op.sym_name.data: op
            for op in self.module.ops
            if isinstance(op, func.FuncOp)
        }

    def read(self, step: ModulePass) -> None:
        """Take in what `step` has decided."""
        match step:
            case HoistIdsPass() | DropRedundantBarriersPass():
                # The second is left out where barriers are to be checked.
                for name, kernel in self._kernels().items():
                    self._versions[name] = _Version(self._begin(kernel))
            case SplitAtBarriersPass():
                for name, kernel in self._kernels().items():
                    self._read_contexts(self._versions[name], kernel)
            case KernelsToFunctionsPass() | UnswitchWorkItemLoopsPass():
                for version, function in self._pairs():
                    version.bounds = work_item_bounds(function)
            case ClipWorkItemLoopsPass():
                for version, function in self._pairs():
                    version.clipped = [
                        end
                        for loop, end in work_item_bounds(function).items()
                        if version.bounds.get(loop) is not end
                    ]
            case PlaceGroupMemoryPass():
                functions = self._functions()
                for version, function in self._pairs():
                    scratch = functions.get(
                        function.sym_name.data + SCRATCH_BYTES_SUFFIX
                    )
                    version.facts = replace(
                        version.facts,
                        stack_bytes=stack_bytes(function),
                        scratch_bytes=scratch_bytes(scratch),
                    )
            case FormSubGroupsPass():
                width = step.width if self._vectorize else None
                for version, function in self._pairs():
                    self._read_loops(version, function, width)
            case _:
                pass

    def _pairs(self) -> Iterable[tuple[_Version, func.FuncOp]]:
        functions = self._functions()
        return [(version, functions[name]) for name, version in self._versions.items()]

    def _begin(self, kernel: KernelOp) -> KernelFacts:
        arrays = local_arrays(kernel)
        return KernelFacts(
            name=self.name,
            place=Place.of(source_location(kernel)),
            group_size=kernel.group_size,
            full_groups=FULL_GROUPS in kernel.attributes,
            sub_group_size=None,
            barriers=sum(map(is_sync, kernel.walk())),
            strategy=None,
            why_not_fission=None,
            dropped_barriers=dropped_barriers(kernel),
            contexts=(),
            context_bytes=0,
            cells=(),
            local_arrays=arrays,
            local_bytes=total(array.bytes for array in arrays),
            stack_bytes=0,
            scratch_bytes=0,
            loops=(),
        )

    def _read_contexts(self, version: _Version, kernel: KernelOp) -> None:
        why = kernel.attributes.get(NOT_SPLIT_BY_FISSION)
        reason = why.data if isinstance(why, StringAttr) else None
        contexts, cells = contexts_and_cells(kernel)
        strategy = None
        if version.facts.barriers:
            in_parts = reason is not None or self._continuations
            strategy = "continuations" if in_parts else "fission"
        version.facts = replace(
            version.facts,
            strategy=strategy,
            why_not_fission=reason,
            contexts=contexts,
            context_bytes=total(context.bytes for context in contexts),
            cells=cells,
        )

    def _read_loops(
        self, version: _Version, function: func.FuncOp, width: Width | None
    ) -> None:
        why = why_sub_groups(function, self._own_size)
        version.loops = find_loops(function, width, why, version.clipped, self._extent)
        version.facts = replace(version.facts, sub_group_size=sub_group_size(function))

    def widen(self) -> None:
        """Do what `widen-sub-groups` does, and keep in mind what comes of which loop."""
        loops = {
            loop.op: loop
            for version in self._versions.values()
            for loop in version.loops
        }
        groups = [op for op in self.module.walk() if isinstance(op, SubGroupOp)]
        for group in groups:
            code = watch(group, lambda group=group: widen_sub_group(group))
            if (loop := loops.get(group)) is not None:
                loop.code = code

    def result(self) -> KernelFacts:
        """The version that matters: that for full groups, if there are two."""
        finished = {
            name: replace(
                version.facts, loops=tuple(loop.finished() for loop in version.loops)
            )
            for name, version in self._versions.items()
        }
        any_group = finished[self.name]
        full = finished.get(self.name + FULL_SUFFIX)
        if full is None:
            return any_group
        return replace(full, differences=differences(full, any_group))
