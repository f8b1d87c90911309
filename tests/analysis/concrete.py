"""What shapes mean, by enumeration: the lanes of a few small machine integers."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spmd.analysis.shapes.shape import Shape

LANES = 4
WIDTH = 6
LOW, HIGH = -(1 << (WIDTH - 1)), (1 << (WIDTH - 1)) - 1

Vector = tuple[int, ...]
"""One signed integer per lane."""


def wrap(number: int, width: int = WIDTH) -> int:
    """The signed integer of a width that is equal modulo `2^width`."""
    half = 1 << (width - 1)
    return (number + half) % (1 << width) - half


def is_multiple(number: int, divisor: int) -> bool:
    return number == 0 if divisor == 0 else number % divisor == 0


def describes(shape: Shape, lanes: Vector, width: int = WIDTH) -> bool:
    """Whether a shape allows these lanes."""
    if shape.is_undef:
        return False
    if shape.stride is None:
        return all(is_multiple(lane, shape.alignment) for lane in lanes)
    if not is_multiple(lanes[0], shape.alignment):
        return False
    steps = (lanes[0] + t * shape.stride for t in range(len(lanes)))
    if shape.wraps:
        return all(wrap(a, width) == b for a, b in zip(steps, lanes, strict=True))
    return tuple(steps) == lanes


def all_shapes() -> list[Shape]:
    """A sample of the lattice without undef."""
    alignments = (0, 1, 2, 3, 4, 6, 8)
    return list(
        dict.fromkeys(
            [Shape.varying(a) for a in alignments]
            + [
                Shape.strided(s, a, wraps=wraps)
                for s in (-4, -2, -1, 0, 1, 2, 3, 4, 6)
                for a in alignments
                for wraps in (False, True)
            ]
        )
    )


def vectors_of(
    shape: Shape, low: int = LOW, high: int = HIGH, samples: int = 12
) -> Iterator[Vector]:
    """All lanes that a strided shape allows within bounds; some of a varying one."""
    if shape.stride is None:
        multiples = [v for v in range(low, high + 1) if is_multiple(v, shape.alignment)]
        generator = random.Random(f"{shape}")
        for _ in range(samples if multiples else 0):
            yield tuple(generator.choices(multiples, k=LANES))
        return
    for first in range(low, high + 1):
        lanes = tuple(first + t * shape.stride for t in range(LANES))
        if shape.wraps:
            lanes = tuple(wrap(lane) for lane in lanes)
        if is_multiple(first, shape.alignment) and all(low <= v <= high for v in lanes):
            yield lanes
