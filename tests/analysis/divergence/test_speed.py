"""The analysis takes little work, in proportion to the size of a kernel."""

from __future__ import annotations

from itertools import count

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.spmd import KernelOp
from spmd.runtime.parsing import make_context
from tests.analysis.work import calls_of

HEAD = """
spmd.kernel @k(%x: memref<?xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
"""
TAIL = "\n  spmd.return\n}"

LOOP = """
  %rN = scf.for %iN = %c0 to %n step %c1 iter_args(%aN = %f) -> (f32) {
    %jN = arith.muli %iN, %n : index
    %kN = arith.addi %jN, %gid : index
    %pN = arith.cmpi slt, %kN, %n : index
    %vN = scf.if %pN -> (f32) {
      %lN = memref.load %x[%kN] : memref<?xf32>
      %mN = arith.mulf %lN, %aN : f32
      scf.yield %mN : f32
    } else {
      %qN = arith.addf %aN, %f : f32
      scf.yield %qN : f32
    }
    scf.yield %vN : f32
  }
"""
OPS_OF_LOOP = 11


def structured(size: int) -> str:
    """About so many operations in loops and branches."""
    return "".join(LOOP.replace("N", str(i)) for i in range(size // OPS_OF_LOOP))


def nested(size: int) -> str:
    """Loops in loops, eight deep, each with something after the inner one."""
    deep = ""
    for level in range(8):
        deep = f"""
        %rN_{level} = scf.for %iN_{level} = %c0 to %n step %c1
            iter_args(%aN_{level} = %c0) -> (index) {{
          {deep}
          %bN_{level} = arith.addi %aN_{level}, %gid : index
          %cN_{level} = arith.addi %bN_{level}, %iN_{level} : index
          scf.yield %cN_{level} : index
        }}"""
    return "".join(deep.replace("N", str(i)) for i in range(size // 32))


def blocks(loops: int, depth: int) -> str:
    """Loops of blocks, with a diamond, a break and an inner loop each."""
    numbers = count()
    text = ["  cf.br ^s0(%c0 : index)"]

    def block(label: str, *lines: str) -> None:
        text.append(f"^{label}(%{label}: index):")
        text.extend(f"  {line}" for line in lines)

    def loop(level: int, entry: str, after: str) -> None:
        h, a, b, j, latch, inner = (f"n{next(numbers)}" for _ in range(6))
        bound = "%gid" if next(numbers) % 2 else "%n"
        block(entry, f"cf.br ^{h}(%{entry} : index)")
        block(
            h,
            f"%p{h} = arith.cmpi slt, %{h}, {bound} : index",
            f"cf.cond_br %p{h}, ^{a}(%{h} : index), ^{b}(%{h} : index)",
        )
        block(
            a,
            f"%q{a} = arith.cmpi eq, %{a}, %gid : index",
            f"cf.cond_br %q{a}, ^{after}(%{a} : index), ^{j}(%{a} : index)",
        )
        block(b, f"%q{b} = arith.addi %{b}, %c1 : index", f"cf.br ^{j}(%q{b} : index)")
        block(j, f"cf.br ^{inner if level else latch}(%{j} : index)")
        if level:
            loop(level - 1, inner, latch)
        block(
            latch,
            f"%q{latch} = arith.addi %{latch}, %c1 : index",
            f"%r{latch} = arith.cmpi slt, %q{latch}, %n : index",
            f"cf.cond_br %r{latch}, ^{h}(%q{latch} : index), ^{after}(%{latch} : index)",
        )

    for i in range(loops):
        loop(depth, f"s{i}", f"s{i + 1}")
    block(f"s{loops}")
    return "\n".join(text)


def kernel_of(body: str) -> KernelOp:
    """Not verified: xDSL takes longer for that than the analysis for its work."""
    module = Parser(make_context(), HEAD + body + TAIL).parse_module()
    assert isinstance(module, ModuleOp)
    (kernel,) = module.ops
    assert isinstance(kernel, KernelOp)
    return kernel


@pytest.mark.slow
def test_two_thousand_structured_operations():
    kernel = kernel_of(structured(2_000))
    assert sum(1 for _ in kernel.walk()) > 1_900
    assert calls_of(lambda: analyze_kernel(kernel)) < 700 * 2_000


def test_three_hundred_blocks():
    for loops, depth in ((17, 2), (50, 0), (1, 42)):
        kernel = kernel_of(blocks(loops, depth))
        assert len(kernel.body.blocks) > 250
        calls = calls_of(lambda kernel=kernel: analyze_kernel(kernel))
        assert calls < 5_000 * len(kernel.body.blocks)


@pytest.mark.slow
def test_work_grows_with_size_only():
    for text in (structured, nested):
        few, many = kernel_of(text(500)), kernel_of(text(2_000))
        ratio = calls_of(lambda many=many: analyze_kernel(many))
        ratio /= calls_of(lambda few=few: analyze_kernel(few))
        assert ratio < 4 * 1.4, (
            f"{text.__name__}: 4 times the size, {ratio:.1f} the work"
        )
