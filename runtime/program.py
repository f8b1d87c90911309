"""`spmd.compile`: from source text or a module to kernels that can be launched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spmd.runtime.compiling.made import HostFacts, KernelFacts
from spmd.runtime.compiling.reading import read_source
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.errors import CompileError, SourceText, unknown_name
from spmd.runtime.kernel import Kernel
from spmd.runtime.options import (
    CompileOptions,
    DivergentBarriers,
    Strategy,
    Width,
)

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from spmd.runtime.arguments.sizes import Size
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
        facts = _facts(unit)
        if not facts:
            raise CompileError(
                "expected a module with at least one spmd.kernel, or a public function "
                "of numbers and memrefs, got none",
                file=None if unit.source is None else unit.source.name,
            )
        kernels = {
            name: Kernel(unit, of)
            for name, of in facts.items()
            if isinstance(of, KernelFacts)
        }
        functions: dict[str, HostFunction] = {}
        for name, of in facts.items():
            if not isinstance(of, KernelFacts):
                # Few programs have some.
                from spmd.runtime.host_function import HostFunction

                functions[name] = HostFunction(unit, of, kernels)
        self.kernels: Mapping[str, Kernel] = kernels
        """The kernels only."""
        self.host_functions: Mapping[str, HostFunction] = functions
        """The host functions only."""
        self._members: dict[str, Kernel | HostFunction] = {**kernels, **functions}

    @classmethod
    def from_source(cls, source: SourceText, options: CompileOptions) -> Program:
        """The program written in `source`."""
        return cls(Unit(source, options, None))

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

    def _repr_html_(self) -> str:
        """What a notebook shows: the members, and how each is called."""
        from html import escape  # no launch needs it

        return f"<pre>{escape(chr(10).join(map(repr, self.values())))}</pre>"

    def stages(self) -> Iterator[tuple[str, str]]:
        """
        The name of each pass and the IR after it; the last is `spmd-llvm`, LLVM IR.

        `spmd-to-loops` and `vectorize` come after the passes they consist of.
        """
        from spmd.runtime.pipeline import stages

        unit = self._unit
        return stages(
            unit.module.clone(), unit.options.passes(), unit.source, unit.options
        )

    def ir(self, stage: str) -> str:
        """The IR after the pass `stage`, one of those that `stages` lists."""
        from spmd.runtime.pipeline import ir_after

        return ir_after(self.stages(), stage)

    def explain(
        self, *, global_size: Size | None = None, group_size: Size | None = None
    ) -> Explanation:
        """What the compiler makes of every kernel and host function: see `Kernel.explain`."""
        from spmd.runtime.explanation.explanation import Explanation

        found = [
            kernel.explain(global_size=global_size, group_size=group_size)
            for kernel in self.kernels.values()
        ]
        functions = [each.explain_loops() for each in self.host_functions.values()]
        return Explanation(
            tuple(facts for each in found for facts in each.kernels),
            tuple(facts for facts in functions if facts is not None),
        )


def chosen(program: Program, name: str | None, option: str) -> Kernel | HostFunction:
    """The member that `option` names; without a name `@main()`, or the only kernel."""
    if name is not None:
        return program[name]
    main = program.host_functions.get("main")
    if main is not None and not main.parameters:
        return main
    if len(program.kernels) != 1:
        raise CompileError(
            f"expected {option} with one of {', '.join(program)}, got none"
        )
    return next(iter(program.kernels.values()))


def _facts(unit: Unit) -> Mapping[str, KernelFacts | HostFacts]:
    """What there is in a program; fails if it cannot be compiled."""

    def make() -> Mapping[str, KernelFacts | HostFacts]:
        from spmd.runtime.compiling.facts import facts_of

        return facts_of(unit)

    # To print a module takes longer than to look at it.
    return make() if unit.source is None else unit.stored(("facts",), make, lambda f: f)


def compile(
    source: str | os.PathLike[str] | ModuleOp,
    *,
    strategy: Strategy = "auto",
    width: Width = "auto",
    shape: tuple[int, ...] = (),
    target: str = "host",
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
    | `shape`     | up to three powers of two, or `()` | lanes along x, y and z, such as `(16, 4)`, instead of a width |
    | `target`    | `"host"`, `"x86-64"` to `"x86-64-v4"`, `"neoverse-v1"` and others | the CPU to compile for; what cannot run here can be looked at |
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
            "shape": shape,
            "target": target,
            "vectorize": vectorize,
            "specialize": specialize,
            "divergent_barriers": divergent_barriers,
            "check_barriers": check_barriers,
            "checked": checked,
            **unknown,
        }
    )
    if isinstance(source, (str, os.PathLike)):
        return Program.from_source(read_source(source), options)
    return Program(Unit(None, options, _own_copy(source)))


def _own_copy(module: ModuleOp) -> ModuleOp:
    """A verified copy at level 0 of a module that is the user's."""
    from xdsl.dialects.builtin import ModuleOp

    from spmd.dialects import compat
    from spmd.runtime.parsing import verify
    from spmd.runtime.pipeline import convert

    if not isinstance(module, ModuleOp):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise CompileError(
            f"expected a path, MLIR text or a ModuleOp, got {type(module).__name__}"
        )
    compat.ensure()
    copy = module.clone()
    verify(copy, None)
    convert(copy, None)
    return copy
