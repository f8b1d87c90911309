"""This project, and this project with single techniques left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from benchmarks.suite.case import Case
from benchmarks.systems.system import OnArrays


class Spmd(OnArrays):
    """`spmd.compile` of the kernel in MLIR, and bound launches."""

    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, case: Case, threads: int):
        super().__init__(case, threads)
        self.launches: list[Callable[[], object]] = []

    def compile(self, nonce: int) -> None:
        import spmd

        text = self.case.mlir_text() + f"// {nonce}\n"
        program = spmd.compile(text, **self.options)
        self.launches = [
            program.kernels[kernel].bind(
                *(self.flat(a) if isinstance(a, str) else a for a in arguments),
                global_size=global_size,
                group_size=group_size,
                threads=self.threads,
            )
            for kernel, global_size, group_size, arguments in self.case.launches
        ]

    def run(self) -> None:
        for launch in self.launches:
            launch()


def without(**options: Any) -> type[Spmd]:
    """`Spmd` with these options of `spmd.compile`."""
    return type("SpmdWithout", (Spmd,), {"options": options})
