"""Every case of the benchmarks is right on small data, compiled and as plain loops."""

import shutil

import numpy as np
import pytest

from benchmarks.measuring.worker import check
from benchmarks.suite.case import SUITE, benchmarks
from benchmarks.systems.c import C
from benchmarks.systems.spmd_system import Spmd
from benchmarks.systems.system import OnArrays

BENCHMARKS = benchmarks()


class Loops(OnArrays):
    """The plain loops as Python."""

    def compile(self, nonce: int) -> None:
        pass

    def run(self) -> None:
        arguments = (self.flat(a) if isinstance(a, str) else a for a in self.case.call)
        with np.errstate(over="ignore"):
            self.case.loops(*arguments)


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("kind", [Spmd, Loops])
def test_case_is_right(name: str, kind: type[OnArrays]):
    system = kind(BENCHMARKS[name].case(small=True), threads=1)
    system.compile(0)
    with pytest.raises(ArithmeticError, match="wrong result"):
        check(system)
    system.run()
    check(system)
    if not system.case.in_place:
        system.run()
        check(system)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    "name", ["reduction_i64", "bitonic_sort", "black_scholes_strict"]
)
def test_case_is_right_in_c(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "gcc")
    system = C(BENCHMARKS[name].case(small=True), threads=1)
    system.compile(0)
    system.run()
    check(system)
    subnormal = np.full(1, 5e-324)
    assert (subnormal * 1.0 == subnormal).all(), "the library flushes subnormals"
    assert subnormal[0] > 0, "the library flushes subnormals"


def test_kernels_stand_beside_what_makes_their_cases():
    for name, benchmark in BENCHMARKS.items():
        case = benchmark.case(small=True)
        for suffix in (".c", ".cl"):
            assert case.source.with_suffix(suffix).is_file(), name
        assert case.mlir_text().count(f"@{case.launches[0].kernel}(") == 1
    folders = {path.parent for path in SUITE.glob("*/*/*.py")}
    assert all(len(list(folder.glob("*.py"))) == 1 for folder in folders)


def test_readme_names_all_groups():
    text = (SUITE.parent / "README.md").read_text()
    for group in {benchmark.group for benchmark in BENCHMARKS.values()}:
        assert f"| `{group}` |" in text
