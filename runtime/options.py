"""The options of `spmd.compile`, checked before anything is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, cast, get_args

from spmd.lowering.loading.object_code import compiles_in_child
from spmd.runtime.errors import CompileError

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from spmd.lowering.machine import Machine

Strategy = Literal["auto", "fission", "continuations"]
Width = int | Literal["auto"]
DivergentBarriers = Literal["reject", "allow"]

WIDTHS = (1, 2, 4, 8, 16, 32, 64)
"""The widths that may be asked for, beside `"auto"`."""


class CompileOptions(NamedTuple):
    """How kernels are compiled: the options of `spmd.compile`, which says what they mean."""

    strategy: Strategy = "auto"
    width: Width = "auto"
    shape: tuple[int, ...] = ()
    target: str = "host"
    vectorize: bool = True
    specialize: bool = True
    divergent_barriers: DivergentBarriers = "reject"
    check_barriers: bool = False
    checked: bool = False
    without: tuple[str, ...] = ()
    """Passes and options of passes to leave out; for benchmarks, so no user is told."""

    @classmethod
    def from_user(cls, given: Mapping[str, object]) -> CompileOptions:
        """The options `given` by a user, or a `CompileError` that lists what is allowed."""
        try:
            compiles_in_child()  # what is in the cache does not ask
        except ValueError as error:
            raise CompileError(str(error)) from None
        names = [name for name in cls._fields if name != "without"]
        for name in given:
            if name not in (*names, "without"):
                from spmd.runtime.compiling.advice import did_you_mean

                raise CompileError(
                    f"expected one of the options {', '.join(names)}, got "
                    f"'{name}'{did_you_mean(name, names)}"
                )
        for name, allowed in (
            ("strategy", get_args(Strategy)),
            ("width", ("auto", *WIDTHS)),
            ("target", _targets(given.get("target", "host"))),
            ("vectorize", (True, False)),
            ("specialize", (True, False)),
            ("divergent_barriers", get_args(DivergentBarriers)),
            ("check_barriers", (True, False)),
            ("checked", (True, False)),
        ):
            if name in given and not _is_one_of(given[name], allowed):
                listed = ", ".join(repr(value) for value in allowed)
                raise CompileError(
                    f"option '{name}': expected one of {listed}, got {given[name]!r}"
                )
        if given.get("shape", ()) != ():
            _check_shape(given["shape"], given.get("width", "auto"))
        return cls(**given)  # pyright: ignore[reportArgumentType]

    def passes(self) -> tuple[ModulePass, ...]:
        """The pass sequences that these options ask for."""
        # Not needed for what is in the cache.
        from spmd.passes.pipelines.pipeline import left_out
        from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
        from spmd.passes.pipelines.vectorize import VectorizePass
        from spmd.passes.work_item_loops.place_polls import PlacePollsPass

        to_loops = SpmdToLoopsPass(
            strategy=self.strategy,
            divergent_barriers=self.divergent_barriers,
            check_barriers=self.check_barriers,
            checked=self.checked,
            target=self.target,
        )
        if self.vectorize:
            to_lanes: ModulePass = VectorizePass(self.width, self.shape, self.target)
        else:
            from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass

            to_lanes = SubGroupsToLoopsPass()
        sequences = (to_loops, to_lanes, PlacePollsPass())
        return left_out(sequences, self.without) if self.without else sequences

    def machine(self) -> Machine:
        """What LLVM is told of the target."""
        from spmd.lowering.machine import host_machine, machine_for

        if self.target == "host":
            return host_machine()
        from spmd.passes.targets import TARGETS

        target, here = TARGETS[self.target], host_machine().triple
        is_here = here.startswith(f"{target.arch}-")
        triple = here if is_here else f"{target.arch}-unknown-linux-gnu"
        return machine_for(triple, target.cpu, target.features)


def _targets(given: object) -> tuple[str, ...]:
    """What is allowed for the target, or as much of it as `given` needs."""
    if given == "host":
        return ("host",)  # What is in the cache needs no table of the others.
    from spmd.passes.targets import HOST, TARGETS

    return (HOST, *TARGETS)


def _check_shape(shape: object, width: object) -> None:
    """Fails if `shape` is no numbers of lanes, or if `width` is given as well."""
    from spmd.dialects.diagnostics import KernelError
    from spmd.passes.sub_groups.choices.vector_width import check_shape

    if not (isinstance(shape, tuple) and all(type(each) is int for each in shape)):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        raise CompileError(
            "option 'shape': expected a tuple of lanes along x, y and z, such as (16, 4), "
            f"got {shape!r}"
        )
    try:
        check_shape(cast(tuple[int, ...], shape), cast(Width, width))
    except KernelError as error:
        raise CompileError(f"option 'shape': {error}") from None


def _is_one_of(value: object, allowed: tuple[object, ...]) -> bool:
    # Not `in`: True == 1 == 1.0, and none of them stands for another.
    return any(type(value) is type(one) and value == one for one in allowed)
