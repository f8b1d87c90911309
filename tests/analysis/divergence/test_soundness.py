"""What is called uniform or strided is so in the runs of random kernels."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf

from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.rewriting import constant_index, trip_count
from spmd.dialects.spmd import KernelOp
from tests.analysis.programs import parse
from tests.analysis.random_kernels import write_kernel as write_blocks
from tests.analysis.soundness import check_launch
from tests.execution.harness import Launch, Maker
from tests.fuzz.writing.programs import Kernel, write_kernel


@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    """A kernel of every kind of operation; smaller when it fails."""
    return write_kernel(lambda options: draw(st.integers(0, options - 1)))


SETTINGS = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


@SETTINGS
@given(kernel=kernels(), schedule=st.sampled_from(("in-order", "random")))
def test_random_kernels(kernel: Kernel, schedule: str):
    arguments = kernel.arguments(Maker(kernel.launch))
    assert check_launch(kernel.source, arguments, kernel.launch, schedule) > 0


@pytest.mark.parametrize("part", range(4))
def test_random_blocks_and_branches(part: int):
    """Any reducible control flow, values used wherever they are visible."""
    compared = 0
    for seed in range(60 * part, 60 * part + 60):
        generator = random.Random(seed)
        source = write_blocks(generator, generator.randrange(2, 11))
        arguments = [generator.randrange(6), np.array([3, 1, 2, 0, 5])]
        compared += check_launch(source, arguments, Launch((8, 4), (4, 2)))
    assert compared > 5000


def results_of(kernel: KernelOp) -> list[Operation]:
    return [op for op in kernel.walk() if op.results and not op.regions]


def has_only_ifs_and_fors(module: ModuleOp) -> bool:
    others = ("scf.while", "scf.index_switch", "scf.execute_region")
    return not any(op.name in others for op in module.walk())


@pytest.mark.slow
def test_structured_control_flow_means_the_same_as_its_blocks():
    """Two analyses by different rules, of the same kernel before and after lowering."""
    compared = 0
    for seed in range(120):
        generator = random.Random(seed)
        module = parse(write_kernel(lambda n, g=generator: g.randrange(n)).source)
        (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
        if not has_only_ifs_and_fors(module):
            continue
        structured = analyze_kernel(kernel)
        if any(
            isinstance(op, scf.ForOp)
            and (
                not structured.is_uniform(op.lb)
                or trip_count(op) == 1
                or (
                    constant_index(op.lb) is None
                    and IntegerRanges().of(op.lb).value is not None
                )
            )
            for op in kernel.walk()
        ):
            # Blocks do not say that both bounds move, that a counter is its start, or that this is
            # a number which follows from the size of groups.
            continue
        before = [
            (
                op,
                [structured.shape(op.results[0], d) for d in range(3)],
                structured.all_active(op),
            )
            for op in results_of(kernel)
        ]
        ConvertScfToCf().apply(Context(), module)
        unstructured = analyze_kernel(kernel)
        remaining = set(results_of(kernel))
        # What memory has when it is loaded may follow from the order of regions.
        loaded: set[Operation] = set()
        for op, shapes, all_active in before:
            if op.name.startswith(("memref.", "vector.load")) or loaded & {
                operand.owner for operand in op.operands
            }:
                loaded.add(op)
                continue
            if op not in remaining:
                continue
            for dimension, shape in enumerate(shapes):
                other = unstructured.shape_at(op.results[0], op, dimension)
                assert shape == other, f"{op}: {shape} structured, {other} as blocks"
                compared += 1
            assert all_active == unstructured.all_active(op), str(op)
    assert compared > 1000
