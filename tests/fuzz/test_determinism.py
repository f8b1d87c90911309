"""The IR of a kernel is the same in every process: nothing follows the order of a set."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from xdsl.ir import Operation, SSAValue

import spmd
from spmd.runtime.options import Strategy
from tests.fuzz.writing.programs import write_kernel_with_barriers

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES: tuple[Strategy, ...] = ("auto", "continuations")
RANDOM_KERNELS = 2

MANY_VALUES_OF_A_LOOP = """
spmd.kernel @last(%x: memref<?xi32>, %n: i32) {
  %gid = spmd.global_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^loop(%c0 : i32)
^loop(%i: i32):
  %a = arith.addi %i, %c1 : i32
  %b = arith.muli %a, %i : i32
  %c = arith.xori %b, %a : i32
  %d = arith.subi %c, %b : i32
  %e = arith.andi %d, %a : i32
  %again = arith.cmpi slt, %e, %n : i32
  cf.cond_br %again, ^loop(%a : i32), ^end
^end:
  %f = arith.addi %e, %b : i32
  %g = arith.muli %f, %d : i32
  %h = arith.xori %g, %c : i32
  memref.store %h, %x[%gid] : memref<?xi32>
  spmd.return
}
"""
"""The structurizer numbers variables, which once followed addresses."""


def fingerprints() -> list[str]:
    """One number for the IR of all passes, for each kernel and strategy."""
    sources = [MANY_VALUES_OF_A_LOOP]
    for number in range(RANDOM_KERNELS):
        rng = random.Random(number)
        sources.append(write_kernel_with_barriers(rng.randrange).source)
    found: list[str] = []
    for source in sources:
        for strategy in STRATEGIES:
            program = spmd.compile(source, strategy=strategy, width=4)
            stages = [f"{name}\n{text}" for name, text in program.stages()]
            found.append(sha256("\n".join(stages).encode()).hexdigest()[:12])
    return found


def shuffle_sets(salt: int, patch: pytest.MonkeyPatch) -> None:
    """Sets of values, operations and blocks follow addresses: here these count for less."""

    def salted(node: object) -> int:
        return hash((id(node), salt))

    patch.setattr(SSAValue, "__hash__", salted)
    patch.setattr(Operation.__mro__[1], "__hash__", salted)


def test_two_processes_write_the_same_ir(monkeypatch: pytest.MonkeyPatch):
    other = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.test_determinism"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    ).stdout.split()
    shuffle_sets(2, monkeypatch)
    assert len(other) == len(STRATEGIES) * (1 + RANDOM_KERNELS)
    assert fingerprints() == other


if __name__ == "__main__":
    shuffle_sets(1, pytest.MonkeyPatch())
    print(*fingerprints(), sep="\n")
