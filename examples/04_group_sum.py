"""A tree reduction in local memory, with a barrier in a loop."""

import numpy as np
from harness import Example, Launch
from numpy.typing import NDArray

Floats = NDArray[np.float32]

GROUP = 256


def launch(n: int = 1 << 24) -> Launch:
    x = np.random.default_rng(4).random(n, np.float32)
    out = np.zeros(-(-n // GROUP), np.float32)
    return Launch((x, out), outputs=(1,), global_size=n)


def with_numpy(x: Floats, out: Floats) -> None:
    whole = x.size // GROUP
    rows = x[: whole * GROUP].reshape(whole, GROUP)
    np.add.reduce(rows, axis=1, out=out[:whole])
    if whole < out.size:
        out[whole] = x[whole * GROUP :].sum()


EXAMPLE = Example(
    __file__, "group_sum", launch, with_numpy, [(1,), (1024,), (1000,)], rtol=1e-5
)

if __name__ == "__main__":
    EXAMPLE.main()
