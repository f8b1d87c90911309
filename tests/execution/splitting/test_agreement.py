"""
With `check_barriers` a launch says which work-items diverge at a barrier or collective.

Work-item `i` of the kernels in `kernels/barriers/illegal` takes the path `paths[i]`: a kernel
is legal when all work-items of a group have the same number there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest

import spmd
from spmd.dialects.diagnostics import source_location
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass
from spmd.reference import run_kernel
from spmd.reference.errors import UndefinedBehavior
from spmd.runtime.options import Strategy
from spmd.runtime.parsing import make_context
from tests.execution.cases import CASES, Case
from tests.execution.harness import (
    KERNELS,
    Array,
    Launch,
    check_native,
    check_passes,
    parsed,
    run_module,
)
from tests.execution.harness.running import content
from tests.execution.splitting import test_barrier_situations, test_split_at_barriers

FOLDER = KERNELS / "barriers"
ILLEGAL = sorted(path.stem for path in (FOLDER / "illegal").glob("*.mlir"))

ONLY_CONTINUATIONS = {
    "early_iterations_of_some",
    "iteration_of_each",
    "iterations_of_some",
}
"""What fission refuses."""

STRATEGIES: tuple[Strategy, ...] = ("fission", "continuations", "auto")
LAUNCHES = (
    Launch((16,), (16,)),
    Launch((100,), (32,)),
    Launch((19, 7), (8, 4)),
    Launch((9, 5, 3), (4, 2, 2)),
)

ID = r"\((\d+), (\d+), (\d+)\)"
MESSAGE = re.compile(
    rf"work-item {ID} of work-group {ID} (.*), but work-item \(0, 0, 0\) (.*)"
)


@cache
def source(name: str) -> str:
    prelude = FOLDER / "situations" / "values" / "linear_ids.mlir"
    return prelude.read_text() + (FOLDER / "illegal" / f"{name}.mlir").read_text()


class Group(NamedTuple):
    """One work-group: its id, and the global linear ids of its work-items in order."""

    id: tuple[int, ...]
    local: list[tuple[int, ...]]
    items: list[int]


def groups_of(launch: Launch) -> list[Group]:
    """The work-groups of a launch, in three dimensions."""
    size = (*launch.global_size, 1, 1)[:3]
    nominal = (*launch.group_size, 1, 1)[:3]
    counts = [-(-n // e) for n, e in zip(size, nominal, strict=True)]
    groups: list[Group] = []
    for id_ in product(*map(range, reversed(counts))):
        at = id_[::-1]
        starts = [g * e for g, e in zip(at, nominal, strict=True)]
        extents = [min(e, n - s) for e, n, s in zip(nominal, size, starts, strict=True)]
        local = [each[::-1] for each in product(*map(range, reversed(extents)))]
        where = [[s + i for s, i in zip(starts, each, strict=True)] for each in local]
        items = [x + size[0] * (y + size[1] * z) for x, y, z in where]
        groups.append(Group(at, local, items))
    return groups


def compiled(name: str, **options: Any) -> spmd.Program:
    return spmd.compile(source(name), check_barriers=True, **options)


def accepted(name: str) -> tuple[Strategy, ...]:
    return STRATEGIES[1:] if name in ONLY_CONTINUATIONS else STRATEGIES


def launch_fails(kernel: Any, paths: Array, launch: Launch, threads: int = 1) -> str:
    """What the launch says."""
    x = np.arange(paths.size, dtype=np.int32)
    with pytest.raises(spmd.LaunchError) as caught:
        kernel(
            paths,
            x,
            global_size=launch.global_size,
            group_size=launch.group_size,
            threads=threads,
        )
    return str(caught.value)


def who(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The work-group and the work-item that differs from the first, of a message."""
    found = MESSAGE.search(text)
    assert found is not None, text
    numbers = tuple(map(int, found.groups()[:6]))
    return numbers[3:], numbers[:3]


class Divergence(NamedTuple):
    """One work-item, of one group, that takes another path than all others."""

    launch: Launch
    group: Group
    local: tuple[int, ...]
    """The first one that does not take the path of the first work-item."""
    paths: Array


@cache
def divergences() -> tuple[Divergence, ...]:
    """In all dimensions, in whole groups and in partial ones, in each direction."""
    found: list[Divergence] = []
    for number, launch in enumerate(LAUNCHES):
        groups = [group for group in groups_of(launch) if len(group.items) > 1]
        for group, (usual, other) in zip(
            (groups[-1], groups[len(groups) // 2]), ((1, 0), (0, 1)), strict=True
        ):
            odd = (5 * number) % len(group.items)
            paths = np.full(prod(launch.global_size), usual)
            paths[group.items[odd]] = other
            found.append(Divergence(launch, group, group.local[odd or 1], paths))
    return tuple(found)


@cache
def what_the_interpreter_says(name: str, number: int) -> tuple[set[str], set[str]]:
    """Who is where they should not be, and the places, as `spmd.check` has it."""
    divergence = divergences()[number]
    report = spmd.check(
        source(name),
        divergence.paths,
        np.arange(divergence.paths.size, dtype=np.int32),
        global_size=divergence.launch.global_size,
        group_size=divergence.launch.group_size,
    )
    (finding,) = (each for each in report.errors if each.kind == "barrier")
    locals_ = {
        re.findall(r"local (\([^)]*\)|\d+) of", place.who)[0]
        for place in finding.places
    }
    locations = {str(source_location(p.op)) for p in finding.places if p.op is not None}
    return locals_, locations


def shown(local: Sequence[int], launch: Launch) -> str:
    """A local id as the interpreter writes it."""
    rank = max(
        (d + 1 for d, extent in enumerate(launch.group_size) if extent > 1), default=1
    )
    return str(local[0]) if rank == 1 else f"({', '.join(map(str, local[:rank]))})"


COMPILED = [
    pytest.param(name, strategy, vectorize, id=f"{name}-{strategy}-{how}")
    for name in ILLEGAL
    for strategy in accepted(name)
    for vectorize, how in ((False, "loops"), (True, "vectorize"))
    if strategy != "auto"  # one of the others
]


@pytest.mark.parametrize(("name", "strategy", "vectorize"), COMPILED)
def test_work_items_that_part_are_named(name: str, strategy: Strategy, vectorize: bool):
    program = compiled(name, strategy=strategy, vectorize=vectorize, specialize=False)
    check_groups_that_agree(name, program)
    for number, (launch, group, local, paths) in enumerate(divergences()):
        text = launch_fails(program[name], paths, launch)
        assert text.startswith(f"{name}: <string>:"), text
        assert who(text) == (group.id, local), text
        if name != "index_of_broadcast":
            said, places = what_the_interpreter_says(name, number)
            assert said == {shown(group.local[0], launch), shown(local, launch)}
            assert all(place in text for place in places), text


def check_groups_that_agree(name: str, program: spmd.Program) -> None:
    for launch in LAUNCHES:
        paths = np.zeros(prod(launch.global_size), np.int64)
        for number, group in enumerate(groups_of(launch)):
            # A broadcast needs an index below the size of the group.
            paths[group.items] = number % min(3, len(group.items))
        x = np.arange(paths.size, dtype=np.int32)
        want = x.copy()
        sizes: Any = {
            "global_size": launch.global_size,
            "group_size": launch.group_size,
        }
        run_kernel(parsed(source(name)), name, [paths, want], **sizes)
        program[name](paths, x, **sizes)
        assert (x == want).all()


@pytest.mark.parametrize("strategy", ["fission", "continuations"])
@pytest.mark.parametrize("vectorize", [False, True])
def test_all_threads_stop(strategy: Strategy, vectorize: bool):
    program = compiled("for_of_trips", strategy=strategy, vectorize=vectorize)
    launch = Launch((64_000,), (64,))
    paths = np.full(64_000, 2)
    # In every group somebody parts, each group in another place.
    odd = {g: 1 + g % 63 for g in range(1000)}
    for g, item in odd.items():
        paths[64 * g + item] = 3
    for _ in range(3):
        text = launch_fails(program["for_of_trips"], paths, launch, threads=4)
        (group, _, _), (item, _, _) = who(text)
        assert item == odd[group]


@pytest.mark.parametrize("fixed", [(8,), (4, 2), (1,), (1, 4)])
@pytest.mark.parametrize("strategy", ["fission", "continuations"])
def test_groups_of_a_fixed_size(fixed: tuple[int, ...], strategy: Strategy):
    text = source("if_of_some").replace(
        "%x: memref<?xi32>) {",
        "%x: memref<?xi32>) attributes "
        f"{{work_group_size = array<i64: {', '.join(map(str, fixed))}>}} {{",
    )
    kernel = spmd.compile(text, strategy=strategy, check_barriers=True)["if_of_some"]
    launch = Launch(tuple(2 * n for n in fixed), fixed)
    paths = np.zeros(prod(launch.global_size), np.int64)
    group = groups_of(launch)[-1]
    paths[group.items[-1]] = 1
    if prod(fixed) == 1:
        # Nobody to disagree with.
        x = np.zeros(2, np.int32)
        kernel(paths, x, global_size=launch.global_size)
        assert x.tolist() == [0, 1]
    else:
        assert who(launch_fails(kernel, paths, launch)) == (group.id, group.local[-1])


def test_each_occurrence_of_an_inlined_barrier_is_told_apart():
    text = source("own_barriers").replace(
        "%some = spmd.any %first across work_group", ""
    )
    text = text.replace("spmd.barrier", "func.call @meet() : () -> ()").replace(
        "} else {", "} else {\nfunc.call @meet() : () -> ()"
    )
    text += "func.func private @meet() {\n  spmd.barrier\n  func.return\n}\n"
    launch = Launch((4,), (4,))
    for strategy in STRATEGIES:
        kernel = spmd.compile(text, strategy=strategy, check_barriers=True)[
            "own_barriers"
        ]
        said = launch_fails(kernel, np.array([0, 0, 1, 0]), launch)
        assert who(said) == ((0, 0, 0), (2, 0, 0))
        assert set(re.findall(r"occurrence (\d) of 2", said)) == {"1", "2"}


def test_barriers_that_order_nothing_are_checked_too():
    text = source("if_of_some").replace("memref.store %one, %x[%item]", "// ", 1)
    launch = Launch((8,), (8,))
    paths = np.arange(8) % 2
    for strategy in STRATEGIES:
        options: Any = {"strategy": strategy}
        x = np.zeros(8, np.int32)
        spmd.compile(text, **options)["if_of_some"](
            paths, x, global_size=8, group_size=8
        )
        kernel = spmd.compile(text, check_barriers=True, **options)["if_of_some"]
        assert who(launch_fails(kernel, paths, launch)) == ((0, 0, 0), (1, 0, 0))


def test_a_host_function_ends_with_the_place_of_the_launch():
    text = (
        source("if_of_some")
        + """
func.func @host(%paths: memref<?xindex>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  spmd.launch @if_of_some global(%n) of(%c4) (%paths, %x) : memref<?xindex>, memref<?xi32>
  func.return
}
"""
    )
    host = spmd.compile(text, check_barriers=True)["host"]
    paths = np.array([1, 1, 1, 1, 0, 0, 1, 0])
    with pytest.raises(
        spmd.LaunchError, match=r"host: the launch at .*if_of_some: "
    ) as e:
        host(paths, np.zeros(8, np.int32))
    assert who(str(e.value)) == ((1, 0, 0), (2, 0, 0))


@pytest.mark.parametrize("name", ILLEGAL)
def test_every_level_says_the_same(name: str):
    """From the split on, the meaning of the check is in the IR."""
    launch = Launch((9, 3), (4, 2))
    group = groups_of(launch)[1]
    paths = np.zeros(27, np.int64)
    paths[group.items[3]] = 1
    for strategy in accepted(name)[:2]:
        module = parsed(source(name)).clone()
        context = make_context()
        is_split = False
        before: list[Any] = []
        passes = (
            SpmdToLoopsPass(strategy=strategy, check_barriers=True),
            VectorizePass(width=4),
        )
        for step in flatten(passes):
            step.apply(context, module)
            is_split |= isinstance(step, SplitAtBarriersPass)
            if not is_split or (now := content(module)) == before:
                continue
            before = now
            module.verify()
            args = [paths.copy(), np.arange(27, dtype=np.int32)]
            with pytest.raises(UndefinedBehavior) as caught:
                run_module(module, name, args, launch)
            assert who(str(caught.value)) == (group.id, group.local[3])


# --- legal kernels -------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(CASES)), ids=[str(c) for c in CASES])
def test_no_kernel_of_ours_gives_an_alarm(number: int):
    case: Case = CASES[number]
    check_native(
        case.source,
        case.arguments,
        case.launches[number % len(case.launches)],
        strategy="continuations" if number % 2 else "auto",
        vectorize=number % 3 > 0,
        check_barriers=True,
        tolerance=case.tolerance,
    )


SPLIT = [*test_split_at_barriers.CASES, *test_split_at_barriers.ONLY_CONTINUATIONS]


@pytest.mark.parametrize("number", range(len(SPLIT)), ids=[case[0] for case in SPLIT])
def test_no_alarm_for_what_is_split(number: int):
    name, arguments, launches = SPLIT[number]
    launch = launches[2]
    strategy: Strategy = "continuations" if number % 2 else "auto"
    text = test_split_at_barriers.source(name, launch, False)
    check_native(
        text,
        arguments,
        launch,
        strategy=strategy,
        vectorize=strategy == "auto",
        check_barriers=True,
    )
    check_passes(
        text,
        arguments,
        (launch,),
        SpmdToLoopsPass(strategy=strategy, check_barriers=True),
        VectorizePass(width=4),
        skip=("split-at-barriers",),
    )


@pytest.mark.parametrize("name", test_barrier_situations.NAMES)
def test_no_alarm_in_any_situation(name: str):
    shapes = test_barrier_situations.SHAPES
    number = test_barrier_situations.NAMES.index(name)
    for n, strategy in enumerate(test_barrier_situations.accepted(name)):
        shape = shapes[(number + 4 * n) % len(shapes)]
        check_native(
            test_barrier_situations.source(name),
            test_barrier_situations.arguments,
            test_barrier_situations.ragged(shape),
            strategy=strategy,
            vectorize=(number + n) % 2 > 0,
            check_barriers=True,
        )
