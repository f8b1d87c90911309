"""Structured control flow takes the paths that the blocks took."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import cf, scf, test
from xdsl.dialects.builtin import ModuleOp

import spmd
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import NOT_VECTORIZED
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.structuring.structurize_control_flow import (
    StructurizeControlFlowPass,
    structurize_kernel,
)
from spmd.reference import run_kernel
from spmd.runtime.options import Strategy
from spmd.runtime.parsing import make_context
from tests.analysis.work import calls_of
from tests.execution.harness import (
    KERNELS,
    LINES,
    Launch,
    Maker,
    check_native_launches,
    check_passes,
    check_schedules,
    parsed,
)
from tests.execution.structuring.random_blocks import ROOM, random_blocks

FOLDER = KERNELS / "control_flow"
NAMES = sorted(path.stem for path in FOLDER.glob("*.mlir"))
STRATEGIES: tuple[Strategy, ...] = ("auto", "continuations")


def source(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


def arguments(maker: Maker) -> list[Any]:
    return [maker.random("i32", maker.n), maker.zeros("i32", maker.n)]


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_work_items_does_not_matter(name: str):
    for launch in LINES:
        check_schedules(source(name), arguments, launch)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", NAMES)
def test_every_level_in_the_interpreter(name: str, strategy: Strategy):
    """Blocks are no reason against vectors, nor are continuations."""
    module = check_passes(
        source(name),
        arguments,
        (*LINES[1::2], Launch((40,), (20,))),
        SpmdToLoopsPass(strategy=strategy),
        VectorizePass(width=8),
        skip=("split-at-barriers",),
    )
    left = [op for op in module.walk() if NOT_VECTORIZED in op.attributes]
    if (name, strategy) == ("sub_groups_and_barriers", "continuations"):
        (loop,) = left
        assert "LLVM does as well" in str(loop.attributes[NOT_VECTORIZED])
    else:
        assert not left


@pytest.mark.parametrize("vectorize", [False, True])
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_native(number: int, vectorize: bool):
    """Each kernel meets both strategies, one of them as vectors."""
    check_native_launches(
        source(NAMES[number]),
        arguments,
        LINES,
        strategy=STRATEGIES[(number + vectorize) % 2],
        vectorize=vectorize,
    )


# --- random graphs ---------------------------------------------------------------------


def trace(module: ModuleOp, seed: int) -> list[np.ndarray[Any, Any]]:
    """Which path five work-items take, and what they see there."""
    rng = np.random.default_rng(seed)
    decisions = rng.integers(0, 4, (5, ROOM)).astype(np.int32)
    path, saw = (np.full((5, ROOM), -1, np.int32) for _ in range(2))
    run_kernel(module, "k", [decisions, path, saw], global_size=5, group_size=5)
    return [path, saw]


def is_structured(module: ModuleOp) -> bool:
    unstructured = cf.BranchOp | cf.ConditionalBranchOp | cf.SwitchOp
    return not any(
        isinstance(op, unstructured | scf.ExecuteRegionOp) for op in module.walk()
    )


def is_refused(module: ModuleOp) -> bool:
    """Whether the pass says that a loop is entered in several places."""
    try:
        StructurizeControlFlowPass().apply(make_context(), module.clone())
    except KernelError as error:
        return "expected reducible control flow" in error.message
    return False


PARTS = 4
GRAPHS = 20


@pytest.mark.parametrize("part", range(PARTS))
def test_random_reducible_graphs(part: int):
    for seed in range(part * GRAPHS, (part + 1) * GRAPHS):
        before = parsed(random_blocks(seed, 2 + seed % 15, reducible=True))
        after = before.clone()
        StructurizeControlFlowPass().apply(make_context(), after)
        after.verify()
        assert is_structured(after)
        for one, other in zip(trace(before, seed), trace(after, seed), strict=True):
            assert (one == other).all(), f"seed {seed}\n{before}\n{after}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_graphs_of_any_kind(part: int):
    """In a kernel they are an error; between two barriers there can be such graphs."""
    irreducible = 0
    for seed in range(part * GRAPHS, (part + 1) * GRAPHS):
        before = parsed(random_blocks(seed, 2 + seed % 13, reducible=False))
        after = before.clone()
        irreducible += is_refused(before)
        (kernel,) = (op for op in after.walk() if isinstance(op, KernelOp))
        structurize_kernel(kernel, allow_irreducible=True)
        after.verify()
        assert is_structured(after)
        for one, other in zip(trace(before, seed), trace(after, seed), strict=True):
            assert (one == other).all(), f"seed {seed}\n{before}\n{after}"
    assert GRAPHS // 8 < irreducible < GRAPHS - GRAPHS // 8


def test_what_both_entries_of_a_loop_lead_to():
    module = parsed("""
spmd.kernel @k(%a: i1, %b: i1) {
  cf.cond_br %a, ^one, ^two
^one:
  "test.op"() {one} : () -> ()
  cf.cond_br %b, ^three, ^end
^two:
  "test.op"() {two} : () -> ()
  cf.br ^three
^three:
  "test.op"() {three} : () -> ()
  cf.cond_br %b, ^one, ^two
^end:
  spmd.return
}""").clone()
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    structurize_kernel(kernel, allow_irreducible=True)
    module.verify()
    found = [[*op.attributes] for op in module.walk() if isinstance(op, test.TestOp)]
    assert sorted(found) == [["one"], ["three"], ["two"]]


# --- long kernels ----------------------------------------------------------------------


def chain(number: int) -> str:
    """Branches and loops, one after the other, of about `number` blocks."""
    lines = [
        "spmd.kernel @k(%x: memref<?xi32>, %n: i32) {",
        "  %i = spmd.global_id x",
        "  %one = arith.constant 1 : i32",
        "  %v = memref.load %x[%i] : memref<?xi32>",
        "  cf.br ^p0(%v : i32)",
    ]
    count = number // 6
    for k in range(count):
        lines += [
            f"^p{k}(%a{k}: i32):",
            f"  %c{k} = arith.cmpi slt, %a{k}, %n : i32",
            f"  cf.cond_br %c{k}, ^t{k}, ^e{k}",
            f"^t{k}:",
            f"  %d{k} = arith.addi %a{k}, %one : i32",
            f"  cf.br ^h{k}(%d{k} : i32)",
            f"^e{k}:",
            f"  memref.store %a{k}, %x[%i] : memref<?xi32>",
            f"  cf.br ^h{k}(%a{k} : i32)",
            f"^h{k}(%f{k}: i32):",
            f"  %g{k} = arith.cmpi sgt, %f{k}, %one : i32",
            f"  cf.cond_br %g{k}, ^b{k}, ^l{k}",
            f"^b{k}:",
            f"  %j{k} = arith.shrsi %f{k}, %one : i32",
            f"  %o{k} = arith.cmpi eq, %j{k}, %n : i32",
            f"  cf.cond_br %o{k}, ^l{k}, ^h{k}(%j{k} : i32)",
            f"^l{k}:",
            f"  cf.br ^p{k + 1}(%f{k} : i32)",
        ]
    lines += [
        f"^p{count}(%r: i32):",
        "  memref.store %r, %x[%i] : memref<?xi32>",
        "  spmd.return",
        "}",
    ]
    return "\n".join(lines)


def returns(number: int) -> str:
    """Early returns, one after the other."""
    lines = [
        "spmd.kernel @k(%x: memref<?xi32>, %n: i32) {",
        "  %i = spmd.global_id x",
        "  cf.br ^b0",
    ]
    for k in range(number):
        lines += [
            f"^b{k}:",
            f"  %v{k} = memref.load %x[%i] : memref<?xi32>",
            f"  %c{k} = arith.cmpi eq, %v{k}, %n : i32",
            f"  cf.cond_br %c{k}, ^out, ^b{k + 1}",
        ]
    lines += [
        f"^b{number}:",
        "  memref.store %n, %x[%i] : memref<?xi32>",
        "  cf.br ^out",
        "^out:",
        "  spmd.return",
        "}",
    ]
    return "\n".join(lines)


def calls(text: str) -> int:
    module = parsed(text).clone()
    run = StructurizeControlFlowPass()
    counted = calls_of(lambda: run.apply(make_context(), module))
    assert is_structured(module)
    return counted


@pytest.mark.slow
@pytest.mark.parametrize("shape", [chain, returns])
def test_work_grows_with_the_number_of_blocks(shape: Any):
    """Five times as many blocks may cost at most a third more each."""
    few, many = 60, 300
    assert calls(shape(many)) / many < 4 / 3 * calls(shape(few)) / few


@pytest.mark.slow
def test_many_early_returns_do_not_nest_without_end():
    text = returns(150)
    x = np.zeros(4, np.int32)
    spmd.compile(text)["k"](x, np.int32(7), global_size=4)
    assert (x == 7).all()


# --- errors ----------------------------------------------------------------------------


def test_the_entries_of_an_irreducible_loop_are_named():
    text = """spmd.kernel @k(%x: memref<?xi32>, %a: i1, %b: i1) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  cf.cond_br %a, ^one, ^two
^one:
  memref.store %v, %x[%i] : memref<?xi32>
  cf.br ^two
^two:
  %w = memref.load %x[%i] : memref<?xi32>
  cf.cond_br %b, ^one, ^exit
^exit:
  spmd.return
}"""
    with pytest.raises(spmd.CompileError) as caught:
        spmd.compile(text).ir("spmd-to-loops")
    message = str(caught.value)
    assert "entered by cf.cond_br" in message
    for line in (4, 6, 9):
        assert f":{line}:" in message
