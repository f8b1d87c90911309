"""Heat, Life, a histogram, Mandelbrot and a matrix product over chunks of Dask arrays."""

# pyright: basic

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import spmd
from spmd.language import atomic_add, constexpr, global_id

Array = np.ndarray[Any, Any]


@spmd.kernel
def heat(u, new):
    """One step of the heat equation; the border stays."""
    x, y = global_id(0), global_id(1)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        around = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
        new[y, x] = u[y, x] + (around - u[y, x] * 4) * 0.125


@spmd.kernel
def life(board, new):
    """One generation on a torus: what leaves at one side comes in at the other."""
    x, y = global_id(0), global_id(1)
    height, width = board.shape[0], board.shape[1]
    if x < width and y < height:
        alive = 0
        for j in range(3):
            for i in range(3):
                alive += board[
                    (y + j + height - 1) % height, (x + i + width - 1) % width
                ]
        if alive == 3 or (alive == 4 and board[y, x] == 1):
            new[y, x] = 1
        else:
            new[y, x] = 0


@spmd.kernel
def histogram(values, counts):
    """How often each value occurs."""
    i = global_id(0)
    if i < values.shape[0]:
        atomic_add(counts, values[i], 1)


@spmd.kernel
def mandelbrot(image, most: constexpr):
    """How many rounds it takes to see that a point is outside of the set."""
    x, y = global_id(0), global_id(1)
    if x < image.shape[1] and y < image.shape[0]:
        a = -2.2 + x * 3.2 / image.shape[1]
        b = -1.2 + y * 2.4 / image.shape[0]
        p, q, n = 0.0, 0.0, 0
        while n < most and p * p + q * q < 4.0:
            p, q = p * p - q * q + a, 2.0 * p * q + b
            n += 1
        image[y, x] = n


@spmd.kernel
def multiply(a, b, c):
    """The product of two matrices."""
    x, y = global_id(0), global_id(1)
    if x < c.shape[1] and y < c.shape[0]:
        total = 0
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


@dataclass(frozen=True)
class Larger:
    """A kernel with arrays of any size; `written` is the one that it writes."""

    kernel: Any
    make: Callable[[int], dict[str, Any]]
    written: str
    size: Callable[[dict[str, Any]], tuple[int, ...]]
    groups: tuple[int, ...]

    def alone(self, arrays: dict[str, Any]) -> Array:
        """What a single launch makes of it."""
        arrays = {**arrays, self.written: arrays[self.written].copy()}
        self.kernel(
            *arrays.values(), global_size=self.size(arrays), group_size=self.groups
        )
        return arrays[self.written]

    def in_chunks(self, arrays: dict[str, Any], chunked: dict[str, Any]) -> Any:
        """The same, lazily, for arrays in chunks."""
        import spmd.dask

        sizes: dict[str, Any] = {
            "global_size": self.size(arrays),
            "group_size": self.groups,
        }
        return spmd.dask.launch(self.kernel, *chunked.values(), **sizes)[self.written]


def _random(shape: tuple[int, ...], low: int, high: int, dtype: Any) -> Array:
    return np.random.default_rng(11).integers(low, high, shape).astype(dtype)


def _plane(name: str) -> Callable[[dict[str, Any]], tuple[int, ...]]:
    return lambda arrays: arrays[name].shape[::-1]


EXAMPLES = {
    "heat": Larger(
        heat,
        lambda n: {
            "u": (u := _random((n, n + 8), 0, 100, np.float32)),
            "new": u.copy(),
        },
        "new",
        _plane("u"),
        (32, 4),
    ),
    "life": Larger(
        life,
        lambda n: {
            "board": _random((n, n + 8), 0, 2, np.int32),
            "new": np.zeros((n, n + 8), np.int32),
        },
        "new",
        _plane("board"),
        (32, 4),
    ),
    "histogram": Larger(
        histogram,
        lambda n: {
            "values": _random((n * n,), 0, 256, np.int32),
            "counts": np.zeros(256, np.int32),
        },
        "counts",
        lambda arrays: arrays["values"].shape,
        (64,),
    ),
    "mandelbrot": Larger(
        mandelbrot,
        lambda n: {"image": np.zeros((n, n * 4 // 3), np.int32), "most": 100},
        "image",
        _plane("image"),
        (32, 4),
    ),
    "multiply": Larger(
        multiply,
        lambda n: {
            "a": _random((n, n // 2 + 3), -9, 9, np.int32),
            "b": _random((n // 2 + 3, n), -9, 9, np.int32),
            "c": np.zeros((n, n), np.int32),
        },
        "c",
        _plane("c"),
        (16, 4),
    ),
}

SIZES = {
    "heat": 2048,
    "life": 1024,
    "histogram": 2048,
    "mandelbrot": 768,
    "multiply": 384,
}


def main() -> int:
    """Compares launches over chunks with single ones."""
    if find_spec("dask") is None:
        print(f"{Path(__file__).stem:<18} left out: it needs xdsl-spmd[dask]")
        return 0
    import dask.array as da  # pyright: ignore[reportMissingImports]

    for name, example in EXAMPLES.items():
        arrays = example.make(SIZES[name])
        expected = example.alone(arrays)
        start = perf_counter()
        example.alone(arrays)
        alone = perf_counter() - start
        chunked = {
            key: da.from_array(value, chunks=tuple(-(-n // 4) for n in value.shape))  # pyright: ignore
            if isinstance(value, np.ndarray)
            else value
            for key, value in arrays.items()
        }
        example.in_chunks(arrays, chunked).compute()
        start = perf_counter()
        result = example.in_chunks(arrays, chunked).compute()
        seconds = perf_counter() - start
        assert np.array_equal(result, expected), name
        print(f"11_larger {name:<12} alone {alone:.4f} s, in chunks {seconds:.4f} s")
        if name == "mandelbrot":
            out = Path(__file__).parent / "out"
            out.mkdir(exist_ok=True)
            picture = (255 - result * 255 // 100).astype(np.uint8)
            head = f"P5 {picture.shape[1]} {picture.shape[0]} 255\n".encode()
            (out / "mandelbrot_chunks.pgm").write_bytes(head + picture.tobytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
