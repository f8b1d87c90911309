"""Collects what the passes remark about one kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import source_location
from spmd.dialects.enclosing import function_around
from spmd.dialects.names import FULL_GROUPS
from spmd.dialects.remarks import (
    Checked,
    ClippedLoop,
    CombinedAccesses,
    CopiedByThreads,
    DefaultSubGroupSize,
    DroppedBarrier,
    FormedSubGroups,
    InterchangedLoop,
    KeptInGroupMemory,
    MaskedDivergence,
    MathCall,
    NotVectorized,
    Permuted,
    PlacedGroupMemory,
    Remark,
    ReshapedGroups,
    Split,
    StreamedStore,
    UnrolledGroupLoop,
    Widened,
    listen,
)
from spmd.dialects.spmd import KernelOp
from spmd.runtime.errors import SourceText
from spmd.runtime.explanation import facts
from spmd.runtime.explanation.accesses import accesses_of
from spmd.runtime.explanation.differences import differences
from spmd.runtime.explanation.facts import (
    Divergence,
    FunctionFacts,
    KernelFacts,
    MathCalls,
    Place,
    SerialLoop,
)
from spmd.runtime.explanation.lines import Extent, lines_of
from spmd.runtime.explanation.memory import kept_in, local_arrays, total
from spmd.runtime.options import CompileOptions
from spmd.runtime.pipeline import run_passes, to_llvm

CODE_IS_SCALAR = "vectorize is off"


def explain_kernel(
    module: ModuleOp,
    kernel: KernelOp,
    passes: Iterable[ModulePass],
    *,
    options: CompileOptions,
    source: SourceText | None,
) -> KernelFacts:
    """
    What `passes` make of the only kernel of `module`, which they change.

    `passes` are those of `options`. If there are two versions of the kernel, that for full groups matters.
    """
    collector = _Collector(kernel, options.vectorize)
    with listen(collector.take):
        run_passes(module, passes, source)
        to_llvm(module, source, options)
    any_group, *full = collector.result()
    if not full:
        return any_group
    return replace(full[0], differences=differences(full[0], any_group))


def explain_function(
    module: ModuleOp,
    function: func.FuncOp,
    launched: Iterable[str],
    passes: Iterable[ModulePass],
    *,
    options: CompileOptions,
    source: SourceText | None,
) -> FunctionFacts | None:
    """
    What `passes` make of a host function of `module`, which they change.

    `None` if it has no parallel loops that it runs itself.
    """
    collector = _Collector(function, options.vectorize)
    place = Place.of(source_location(function))
    with listen(collector.take):
        run_passes(module, passes, source)
        to_llvm(module, source, options)
    name = function.sym_name.data
    loops, serial = collector.loops(name), tuple(collector.serial.get(name, ()))
    if not loops and not serial:
        return None
    return FunctionFacts(name, place, tuple(sorted(launched)), loops, serial)


@dataclass
class _Loop:
    """A loop over work-items."""

    function: str
    lanes: int
    why_lanes: str
    lines: tuple[int, int] | None
    clipped: bool
    around: Place | None
    divergent: list[Divergence] = field(default_factory=list[Divergence])
    code: Sequence[Operation] = ()
    """The vector code, when there is some, with what stands in loops and branches."""

    def result(
        self, math: Mapping[Operation, MathCall], permuted: Container[Operation]
    ) -> facts.Loop:
        """What there is to say when LLVM IR has been written."""
        # A pass may have erased what nobody used.
        code = [op for op in self.code if op.parent]
        accesses, costly = accesses_of(op for op in code if op not in permuted)
        return facts.Loop(
            self.lines,
            self.lanes,
            self.why_lanes,
            self.clipped,
            self.around,
            tuple(self.divergent),
            accesses,
            costly,
            _math_calls(math[op] for op in code if op in math),
        )


def _name(array: SSAValue) -> str:
    """What the source calls an argument."""
    number = array.index if isinstance(array, BlockArgument) else ""
    return f"%{array.name_hint or number}"


def _math_calls(calls: Iterable[MathCall]) -> tuple[MathCalls, ...]:
    counts = Counter((call.op.name, call.is_vector) for call in calls)
    return tuple(
        MathCalls(op, count, "a vector function" if is_vector else "a call per lane")
        for (op, is_vector), count in counts.items()
    )


class _Collector:
    """Takes remarks; what they are about is looked at before the next pass changes it."""

    def __init__(self, kernel: KernelOp | func.FuncOp, vectorize: bool):
        self._name = kernel.sym_name.data
        self._extent = Extent.of(kernel)
        self._vectorize = vectorize
        self._why_size = "the sub_group_size of the kernel"
        self._copied: list[str] = []
        self._streamed: dict[str, None] = {}
        self._asked_size: tuple[int, int, int] | None = None
        self._versions: dict[str, KernelFacts] = {}
        self._checks: facts.Checks | None = None
        self._dropped: list[DroppedBarrier] = []
        self._kept: list[KeptInGroupMemory] = []
        self._clipped: set[Operation] = set()
        self._interchanged: set[Operation] = set()
        self._loops: dict[Operation, _Loop] = {}
        self.serial: dict[str, list[SerialLoop]] = {}
        """By function."""
        self._math: dict[Operation, MathCall] = {}
        self._permuted: set[Operation] = set()

    def take(self, remark: Remark) -> None:
        """Sort in one remark."""
        match remark:
            case Checked(inserted=inserted, proven=proven):
                self._checks = facts.Checks(inserted, proven)
            case DroppedBarrier():
                self._dropped.append(remark)
            case DefaultSubGroupSize():
                self._why_size = "the default of kernels with sub-group operations"
            case ReshapedGroups(before=size):
                self._asked_size = size
            case CopiedByThreads(argument=argument):
                self._copied.append(_name(argument))
            case StreamedStore(op=store):
                self._streamed[_name(store.base)] = None
            case KeptInGroupMemory():
                self._kept.append(remark)
            case Split(op=kernel):
                self._versions[kernel.sym_name.data] = self._split(remark)
                self._kept = []
            case ClippedLoop(op=loop):
                self._clipped.add(loop)
            case InterchangedLoop(op=loop):
                self._interchanged.add(loop)
            case UnrolledGroupLoop(loop=loop, iterations=iterations):
                name = function_around(loop).sym_name.data
                place = Place.of(source_location(loop))
                version = self._versions[name]
                unrolled = (*version.unrolled, facts.UnrolledLoop(place, iterations))
                self._versions[name] = replace(version, unrolled=unrolled)
            case PlacedGroupMemory(
                op=function, stack_bytes=stack, scratch_bytes=scratch
            ):
                name = function.sym_name.data
                if (version := self._versions.get(name)) is not None:
                    self._versions[name] = replace(
                        version, stack_bytes=stack, scratch_bytes=scratch
                    )
            case FormedSubGroups():
                self._loops[remark.op] = self._loop(remark)
            case NotVectorized(op=op, reason=why):
                name = function_around(op).sym_name.data
                serial = SerialLoop(Place.of(source_location(op)), why)
                self.serial.setdefault(name, []).append(serial)
            case MaskedDivergence(op=op, group=group, reason=why):
                if (loop := self._loops.get(group)) is not None and loop.lanes > 1:
                    place = Place.of(source_location(op))
                    loop.divergent.append(Divergence(op.name, why, place))
            case Widened(op=group, code=code):
                if (loop := self._loops.get(group)) is not None:
                    # Passes put loops around others, and what is in them elsewhere.
                    loop.code = [op for each in code for op in each.walk()]
            case CombinedAccesses(op=op, code=code):
                for loop in self._loops.values():
                    if op in loop.code:
                        loop.code = list(dict.fromkeys((*loop.code, *code)))
            case Permuted(op=op):
                self._permuted.add(op)
            case MathCall():
                self._math[remark.op] = remark

    def _split(self, split: Split) -> KernelFacts:
        kernel = split.op
        arrays = local_arrays(kernel)
        contexts, slots = kept_in(kernel, self._kept)
        size = kernel.sub_group_size
        strategy = "fission" if split.by_fission else "continuations"
        return KernelFacts(
            name=self._name,
            place=Place.of(source_location(kernel)),
            group_size=kernel.group_size,
            asked_group_size=self._asked_size,
            full_groups=FULL_GROUPS in kernel.attributes,
            sub_group_size=None if size is None else size.value.data,
            barriers=split.barriers,
            strategy=strategy if split.barriers else None,
            why_not_fission=split.why_not_fission,
            dropped_barriers=tuple(
                facts.DroppedBarrier(each.proof, Place.of(each.location))
                for each in self._dropped
                if each.op is kernel
            ),
            checks=self._checks,
            contexts=contexts,
            context_bytes=total(context.bytes for context in contexts),
            slots=slots,
            local_arrays=arrays,
            local_bytes=total(array.bytes for array in arrays),
            stack_bytes=0,
            scratch_bytes=0,
            loops=(),
            thread_copies=tuple(self._copied),
        )

    def _loop(self, formed: FormedSubGroups) -> _Loop:
        name = function_around(formed.op).sym_name.data
        lanes, why = formed.lanes, formed.reason
        if not self._vectorize:
            lanes, why = 1, why or CODE_IS_SCALAR
        elif lanes > 1 and (version := self._versions.get(name)) is not None:
            why = why if version.sub_group_size is None else self._why_size
        lines = lines_of(formed.op.body, self._extent)
        clipped = formed.loop in self._clipped
        around = formed.op.parent_op()
        while around is not None and around not in self._interchanged:
            around = around.parent_op()
        place = around and Place.of(source_location(around))
        return _Loop(name, lanes, why or "", lines, clipped, place)

    def result(self) -> Iterable[KernelFacts]:
        """What became of each version; that for any group is the first."""
        for name, version in sorted(self._versions.items(), key=lambda v: len(v[0])):
            streamed = tuple(self._streamed)
            yield replace(version, loops=self.loops(name), streamed=streamed)

    def loops(self, function: str) -> tuple[facts.Loop, ...]:
        """What became of the loops over work-items of one function."""
        return tuple(
            loop.result(self._math, self._permuted)
            for loop in self._loops.values()
            if loop.function == function
        )
