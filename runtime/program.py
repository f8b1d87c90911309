"""`spmd.compile`: from source text or a module to kernels that can be launched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr

from spmd.dialects import compat
from spmd.dialects.diagnostics import KernelError, fail
from spmd.dialects.interfaces.meaning import Emission
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in
from spmd.lowering.writing.dispatch import why_not_lowered
from spmd.passes.kernels.check_barriers import CheckBarriersPass
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.runtime.errors import (
    CompileError,
    SourceText,
    compile_errors,
    unknown_name,
)
from spmd.runtime.kernel import Kernel, explain_all
from spmd.runtime.options import (
    CompileOptions,
    DivergentBarriers,
    Strategy,
    Target,
    Width,
)
from spmd.runtime.parsing import DIALECTS, read_source, verify
from spmd.runtime.pipeline import (
    Unit,
    called_functions,
    ir_after,
    restrict,
    stages,
)

if TYPE_CHECKING:
    from spmd.runtime.explanation.explanation import Explanation
    from spmd.runtime.host_function import HostFunction


class Program(Mapping[str, "Kernel | HostFunction"]):
    """
    The kernels of a module and the host functions that launch them, by name.

    `program["saxpy"]` is a `Kernel`, or a `HostFunction`; iteration gives the names. A
    private function is not listed. `stages()` and `ir()`
    show what the compiler makes of the whole module when nothing is known of the
    launch; `Kernel.stages` those of one kernel, for a group size if you like.
    """

    def __init__(self, unit: Unit):
        self._unit = unit
        module, source = unit.module, unit.source
        with compile_errors(source, "looking for operations that cannot be compiled"):
            _expect_emissions(module)
        with compile_errors(source, "checking barriers"):
            check = CheckBarriersPass(unit.options.divergent_barriers)
            for part in (module, *_inlined(module)):
                check.apply(Context(), part)
        kernels = {
            op.sym_name.data: Kernel(unit, op)
            for op in module.ops
            if isinstance(op, KernelOp)
        }
        functions = _host_functions(unit, kernels)
        self.kernels: Mapping[str, Kernel] = kernels
        """The kernels only."""
        self.host_functions: Mapping[str, HostFunction] = functions
        """The host functions only."""
        self._members: dict[str, Kernel | HostFunction] = {**kernels, **functions}
        if not self._members:
            raise CompileError(
                "expected a module with at least one spmd.kernel, or a public function "
                "of numbers and memrefs, got none",
                file=None if source is None else source.name,
            )

    @classmethod
    def from_source(cls, source: SourceText, options: CompileOptions) -> Program:
        """The program written in `source`."""
        return cls(Unit.parsed(source, options))

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self._unit,)

    def __getitem__(self, name: str) -> Kernel | HostFunction:
        try:
            return self._members[name]
        except (KeyError, TypeError):
            raise unknown_name("kernel", name, self._members) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"<spmd program with {', '.join(self._members)}>"

    def stages(self) -> Iterator[tuple[str, str]]:
        """
        The name of each pass and the IR after it; the last is `spmd-llvm`, LLVM IR.

        `spmd-to-loops` and `vectorize` come after the passes they consist of.
        """
        unit = self._unit
        return stages(unit.module.clone(), unit.options.passes(), unit.source)

    def ir(self, stage: str) -> str:
        """The IR after the pass `stage`, one of those that `stages` lists."""
        return ir_after(self.stages(), stage)

    def explain(self) -> Explanation:
        """What the compiler makes of every kernel: see `Kernel.explain`."""
        return explain_all(self.kernels.values())


def chosen(program: Program, name: str | None, option: str) -> Kernel | HostFunction:
    """The member that `option` names, or without a name the only kernel."""
    if name is not None:
        return program[name]
    if len(program.kernels) != 1:
        raise CompileError(
            f"expected {option} with one of {', '.join(program)}, got none"
        )
    return next(iter(program.kernels.values()))


def _expect_emissions(module: ModuleOp) -> None:
    """Fails on an op of somebody else's dialect that nothing can be made of."""
    own = {dialect.name for dialect in DIALECTS}
    for op in module.walk():
        if op.dialect_name() not in own and Emission.of(op) is None:
            fail(op, why_not_lowered(op))


def _inlined(module: ModuleOp) -> Iterator[ModuleOp]:
    """For each kernel that calls functions, a module where it does not."""
    for kernel in kernels_in(module):
        if any(isinstance(op, func.CallOp) for op in kernel.walk()):
            part = restrict(module, kernel)
            try:
                SpmdInlineCallsPass().apply(Context(), part)
            except KernelError:
                continue  # what does not matter to the other kernels
            yield part


def _host_functions(
    unit: Unit, kernels: Mapping[str, Kernel]
) -> dict[str, HostFunction]:
    """The public functions with a body that no kernel calls, and that can be called."""
    public = {
        op.sym_name.data: op
        for op in unit.module.ops
        if isinstance(op, func.FuncOp)
        and op.body.blocks
        and op.sym_visibility != StringAttr("private")
    }
    if public:
        for kernel in kernels_in(unit.module):
            for name in called_functions(unit.module, kernel):
                public.pop(name, None)
    if not public:
        return {}
    # Few programs have some.
    from spmd.runtime.host_function import HostFunction, is_for_users

    return {
        name: HostFunction(unit, op, kernels)
        for name, op in public.items()
        if is_for_users(unit.module, op)
    }


def compile(
    source: str | os.PathLike[str] | ModuleOp,
    *,
    strategy: Strategy = "auto",
    width: Width = "auto",
    target: Target = "host",
    vectorize: bool = True,
    specialize: bool = True,
    divergent_barriers: DivergentBarriers = "reject",
    check_barriers: bool = False,
    checked: bool = False,
    **unknown: Any,
) -> Program:
    """
    Compiles the kernels of `source`: a path, MLIR text, or a module (left as it is).

    | option      | values | meaning |
    | ----------- | ------ | ------- |
    | `strategy`  | `"auto"`, `"fission"`, `"continuations"` | how kernels are split at barriers |
    | `width`     | `"auto"`, or a power of two from 1 to 64 | lanes of a sub-group |
    | `target`    | `"host"` | the CPU to compile for |
    | `vectorize` | `True`, `False` | `False`: scalar work-item loops, as after `spmd-to-loops` |
    | `specialize` | `True`, `False` | `False`: one code for all work-group sizes |
    | `divergent_barriers` | `"reject"`, `"allow"` | barriers that not all work-items seem to reach |
    | `check_barriers` | `True`, `False` | `True`: a launch checks that all work-items come to the same barriers |
    | `checked` | `True`, `False` | `True`: a launch checks accesses, divisions and all else that can be undefined |

    Native code is made when a kernel is first launched, once for each work-group size
    unless `specialize` is `False`.
    Raises `CompileError`, also for barriers that not all work-items reach, in kernels and
    in the functions that they call.
    """
    options = CompileOptions.from_user(
        {
            "strategy": strategy,
            "width": width,
            "target": target,
            "vectorize": vectorize,
            "specialize": specialize,
            "divergent_barriers": divergent_barriers,
            "check_barriers": check_barriers,
            "checked": checked,
            **unknown,
        }
    )
    if isinstance(source, ModuleOp):
        compat.ensure()
        module = source.clone()
        verify(module, None)
        return Program(Unit.of(module, options, None))
    if not isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise CompileError(
            f"expected a path, MLIR text or a ModuleOp, got a {type(source).__name__}"
        )
    return Program.from_source(read_source(source), options)
