"""
The tutorial on kernels in Python as a notebook; `make docs` makes it of docs/python.md.

```sh
pip install marimo
marimo edit examples/notebook.py
```
"""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    return (mo,)


@app.cell
def _(mo):
    mo.md(r"""
    # Kernels in Python

    A kernel is the program of *one* work-item, written as a function of Python. This page
    teaches it from the first kernel to groups that work together; all of its code is run by
    the tests. `marimo edit examples/notebook.py` opens it as a notebook.

    ## A first kernel
    """)
    return


@app.cell
def _():
    import numpy as np
    import spmd
    from spmd.language import global_id


    @spmd.kernel
    def saxpy(a, x, y):
        i = global_id()
        y[i] = a * x[i] + y[i]


    x = np.arange(1000, dtype=np.float32)
    y = np.ones(1000, np.float32)
    saxpy(0.5, x, y, global_size=x.size)
    print(y[:4])
    return (np, spmd, global_id, saxpy, x, y,)


@app.cell
def _(mo):
    mo.md(r"""
    The launch runs 1000 work-items, in groups on all cores, and in each group several in lock
    step with vector instructions; it returns when all are done. `global_id()` says which one
    this is. Nothing is copied: the kernel reads and writes the memory of the arrays.

    The first call compiles the kernel for the types of its arguments, another one with the same
    types takes microseconds. `a` is a `float` of Python here, `x` and `y` are arrays of float32
    with one dimension. Call it with arrays of float64 and it is compiled for these, too:
    """)
    return


@app.cell
def _(np, saxpy):
    saxpy(2, np.arange(4.0), np.ones(4), global_size=4)
    return


@app.cell
def _(mo):
    mo.md(r"""
    How many numbers a point or a pixel has is part of the type: of an array `(n, 3)` the 3 is compiled in, of
    an image `(height, width, 4)` the 4, as of any last dimensions of at most 16 elements together, and
    so are the steps of a view `x[::2]`. Other sizes and steps need no other code.

    A size that is no multiple of the group is no problem: work-items past the end do not
    exist. Where there is more to do than work-items, or less, say so:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel
    def clamp(x, n, high=1.0):
        i = global_id()
        if i >= n:
            return
        if x[i] < 0:
            x[i] = 0
        elif x[i] > high:
            x[i] = high


    v = np.array([-1.0, 0.5, 3.0, 7.0])
    clamp(v, 3, global_size=4)
    print(v)
    clamp(v, n=4, high=2.0, global_size=4)
    print(v)
    return (clamp, v,)


@app.cell
def _(mo):
    mo.md(r"""
    ## Two dimensions

    Sizes are numbers or tuples of up to three, x first, and `global_id(1)` is the id in y.
    Let x run along the last index of an array: neighbouring work-items then read neighbouring
    elements, which is one vector load.
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel
    def blur(image, out):
        col, row = global_id(0), global_id(1)
        height, width = image.shape
        total = 0.0
        count = 0
        for r in range(max(row - 1, 0), min(row + 2, height)):
            for c in range(max(col - 1, 0), min(col + 2, width)):
                total += image[r, c]
                count += 1
        out[row, col] = total / count


    image = np.random.default_rng(1).random((30, 50), np.float32)
    out = np.empty_like(image)
    blur(image, out, global_size=(50, 30))
    print(np.isclose(out[0, 0], image[:2, :2].mean()))
    return (blur, image, out,)


@app.cell
def _(mo):
    mo.md(r"""
    ## Groups and local memory

    The work-items of a *work-group* share local memory, and wait for each other at a barrier.
    Here each group sums its part of `x`: every work-item stores one number, then half of them
    add the numbers of the other half, until one is left.

    ```text
    x      [ 3  1  7  0 | 4  1  6  3 ]      two groups of four
    tile     3  1  7  0   4  1  6  3        each stores one number
             10 1         10 4              barrier; the lower half adds the upper half
             11           14                barrier; again, until one is left
    ```
    """)
    return


@app.cell
def _(global_id, np, spmd):
    from spmd.language import barrier, group_id, local, local_id

    SIZE = 256


    @spmd.kernel(group_size=SIZE)
    def group_sums(x, sums):
        tile = local(SIZE, np.float64)
        lid = local_id()
        tile[lid] = x[global_id()]
        barrier()
        step = SIZE // 2
        while step > 0:
            if lid < step:
                tile[lid] += tile[lid + step]
            barrier()
            step //= 2
        if lid == 0:
            sums[group_id()] = tile[0]


    x_2 = np.random.default_rng(2).random(1024)
    sums = np.empty(4)
    group_sums(x_2, sums, global_size=x_2.size)
    print(np.allclose(sums, x_2.reshape(4, 256).sum(1)))
    return (barrier, group_id, local, local_id, SIZE, group_sums, x_2, sums,)


@app.cell
def _(mo):
    mo.md(r"""
    Sums, largest numbers and the like need no tree by hand: `reduce` combines a value of each
    work-item, and all of them get the result. This is a softmax of the rows of a matrix, with
    one group for each row:
    """)
    return


@app.cell
def _(global_id, local_id, np, spmd):
    from spmd.language import local_size, reduce


    @spmd.kernel
    def softmax(x, y):
        row = global_id(1)
        top = -np.inf
        for j in range(local_id(), x.shape[1], local_size()):
            top = max(top, x[row, j])
        top = reduce(max, top)
        total = 0
        for j in range(local_id(), x.shape[1], local_size()):
            total += np.exp(x[row, j] - top)
        total = reduce(sum, total)
        for j in range(local_id(), x.shape[1], local_size()):
            y[row, j] = np.exp(x[row, j] - top) / total


    x_3 = np.random.default_rng(3).random((100, 1000), np.float32)
    y_2 = np.empty_like(x_3)
    softmax(x_3, y_2, global_size=(64, 100), group_size=(64, 1))
    print(np.allclose(y_2.sum(1), 1, atol=1e-4))
    return (local_size, reduce, softmax, x_3, y_2,)


@app.cell
def _(mo):
    mo.md(r"""
    `top` starts as a `float` and meets float32 numbers: it is a float32 everywhere.

    ## What can go wrong

    Two work-items that touch one element without a barrier between them race, unless both only
    read, or use an atomic operation. `check` runs the kernel in an interpreter that watches
    every access:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel
    def histogram(x, bins):
        bins[x[global_id()]] += 1


    data = np.array([0, 1, 1, 2], np.int32)
    report = histogram.check(data, np.zeros(3, np.int32), global_size=4)
    print(report.findings[0])
    return (histogram, data, report,)


@app.cell
def _(mo):
    mo.md(r"""
    Two work-items may read the same old number, and then one of their ones is lost. What reads,
    adds and stores in one step is an atomic operation:
    """)
    return


@app.cell
def _(data, global_id, np, spmd):
    from spmd.language import atomic_add


    @spmd.kernel
    def histogram_2(x, bins):
        atomic_add(bins, x[global_id()], 1)


    bins = np.zeros(3, np.int32)
    histogram_2(data, bins, global_size=4)
    print(bins, bool(histogram_2.check(data, bins.copy(), global_size=4)))
    return (atomic_add, histogram_2, bins,)


@app.cell
def _(mo):
    mo.md(r"""
    The sum of a group is that group's: `reduce` knows nothing of the others. What is to be one number
    for all of them is added up by atomic operations, one for each group:
    """)
    return


@app.cell
def _(atomic_add, global_id, local_id, np, reduce, spmd):
    @spmd.kernel
    def dot(x, y, total):
        i = global_id()
        of_group = reduce(sum, x[i] * y[i])
        if local_id() == 0:
            atomic_add(total, 0, of_group)


    x_4, y_3 = np.arange(5000.0), np.ones(5000)
    total = np.zeros(1)
    dot(x_4, y_3, total, global_size=x_4.size)
    print(total[0] == x_4.sum())
    return (dot, x_4, y_3, total,)


@app.cell
def _(mo):
    mo.md(r"""
    An access outside of an array is the other thing that goes wrong, most often since the sizes of a
    launch are in the order of `shape`: x comes first, so that it is `shape[::-1]`. The compiled kernel
    does not notice; like a program in C, it reads and writes what lies there. `check` does, and so does
    `@spmd.kernel(checked=True)`, in native code:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel(checked=True)
    def outer(a, b, out):
        col, row = global_id(0), global_id(1)
        out[row, col] = a[row] * b[col]


    a, b = np.arange(2.0), np.arange(3.0)
    out_2 = np.empty((2, 3))
    outer(a, b, out_2, global_size=out_2.shape[::-1])
    print(out_2)
    try:
        outer(a, b, out_2, global_size=out_2.shape)
    except spmd.LaunchError as error:
        print(error)
    return (outer, a, b, out_2,)


@app.cell
def _(mo):
    mo.md(r"""
    To look inside, run the kernel as what it is, a function of Python: `interpret` calls it for one
    work-item after the other, up to where it waits for the others, so that `print`, `breakpoint()`
    and any debugger work in it. An error says in which work-item it was:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel
    def shifted(x, y):
        i = global_id()
        y[i] = x[i + 1]


    try:
        shifted.interpret(np.zeros(4), np.zeros(4), global_size=4)
    except IndexError as error:
        print(error, *error.__notes__)
    return (shifted,)


@app.cell
def _(mo):
    mo.md(r"""
    Python computes as NumPy does, not in the types of the kernel's variables: a function of `math`
    gives 64 bits there, an `int` has no end, an index of -1 is the last element, and what `np.where`
    gives is an array, which `+=` changes under all of its names.

    `print` works in the compiled kernel, too, with f-strings as well. Work-items print one after the
    other up to the next barrier, which keeps a kernel that prints on one thread and out of vectors:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel
    def steep(x):
        i = global_id()
        if abs(x[i]) > 2:
            print(f"x[{i}] is {x[i]:.2f}")


    steep(np.array([0.5, 3, -4.125]), global_size=3)
    return (steep,)


@app.cell
def _(mo):
    mo.md(r"""
    What is not part of the language is an error that shows the line, and what to write instead:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel
    def wrong(x):
        i = global_id()
        scale = 2
        if x[i] > 3:
            scale = True
        x[i] *= scale


    try:
        wrong(np.zeros(4), global_size=4)
    except spmd.CompileError as error:
        print(error.message)
    return (wrong,)


@app.cell
def _(mo):
    mo.md(r"""
    ## How work-items run

    Several work-items run in lock step, as the *lanes* of vector instructions: all of them do the same
    operation, each on its own number. That is fast as long as they want the same. Where they do not, they
    *diverge*: a loop goes on until its last lane is done, and of a branch both sides are run, each for the
    lanes that want it.

    ```text
    lane      0    1    2    3          if x[i] > 0:      y[i] = a     a    .    a    a
    x[i]      3   -1    2    5          else:             y[i] = b     .    b    .    .
    ```

    `explain` says where, and why. `width=8` makes it say the same on every machine:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel(width=8)
    def collatz(start, steps):
        i = global_id()
        n = start[i]
        count = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


    start, steps = np.arange(1, 65), np.zeros(64, np.int64)
    collatz(start, steps, global_size=64)
    print(steps[:10])
    print(collatz.explain(start, steps, group_size=64))
    return (collatz, start, steps,)


@app.cell
def _(mo):
    mo.md(r"""
    What lanes read and write matters as much. Here `x` runs along the last index of an array, and lanes that
    are neighbours access elements that are: one load for all of them. In `columns` they are a row apart, and
    each lane loads its own:
    """)
    return


@app.cell
def _(global_id, np, spmd):
    @spmd.kernel(width=8)
    def rows(x, y):
        i = global_id()
        y[i] = x[0, i] + x[1, i]


    @spmd.kernel(width=8)
    def columns(x, y):
        i = global_id()
        y[i] = x[i, 0] + x[i, 1]


    x_5, y_4 = np.ones((64, 64), np.float32), np.zeros(64, np.float32)
    for kernel in (rows, columns):
        lines = str(kernel.explain(x_5, y_4, group_size=64)).splitlines()
        print(*lines[3 : 5 if kernel is columns else 4], sep="\n")
    return (rows, columns, x_5, y_4, kernel, lines,)


@app.cell
def _(mo):
    mo.md(r"""
    What helps, in this order: let x run along the last index; let neighbours do the same work, say by sorting
    what takes long; take the work that few need out of the loop. [explain.md](explain.md) has every line
    that an explanation may have, and [performance.md](performance.md) what was measured.

    ## The language

    | of Python | in a kernel |
    | --- | --- |
    | numbers | `int` and `float` of Python, 64 bits wide, `bool`, and NumPy's from int8 to uint64, float16 to float64 |
    | `+ - * / // % **` `& \| ^ ~ << >>` | Python's meaning: `/` gives floats, `//` rounds down, `%` has the sign of the divisor; the exponent of an integer is a constant |
    | `< <= > >= == !=`, chained; `and or not`; `a if c else b` | with short circuit; `and` and `or` want bools unless they are a condition; `in` and `not in` of a tuple |
    | variables | one type in the whole function; see below |
    | `if while for break continue return assert pass`, `else` of loops | `for` is over `range`, with any step, over an array, or over a tuple, whose loop is unrolled; `zip` and `enumerate` of those |
    | tuples, `a, b = b, a`, `x += 1`, `n := x[i]` | the index of a tuple is a constant; `:=` stands where it is always computed, so not after `and`, `or` or `if` of an expression |
    | `x[i, j]`, `x.shape`, `x.size`, `x.ndim`, `x.dtype`, `len(x)` | only a constant index counts from the end if it is negative |
    | `x[i]` of a matrix, `x[2:, ::-1]`, `x[..., 0]` | views of the same memory; the step is a constant |
    | `abs min max sum len pow round divmod ord int float bool` | |
    | `sum min max` of `x[2:5]`, `x[i].sum()`, `np.argmax(x[i])`, `x[i] @ y` | of one dimension, in a loop of this work-item: `sum mean min max argmin argmax any all dot` |
    | `print` | of numbers, texts, tuples and f-strings, with `sep` and `end`; formats are those of C, such as `:6d`, `:08x` and `:.3f` |
    | `math.*`, `np.*` | functions of one number such as `exp`, `sqrt`, `floor`, `sign`, and `arctan2 clip copysign hypot fmod fmax fmin minimum maximum where isnan isinf isfinite square power logical_and` and its like, and the operators as functions, such as `add` |
    | `np.float32(v)` and its like | converts a number |
    | functions marked `@spmd.function` | written where they are called; arguments may be functions, too |
    | names of the module and of functions around | constants, as they are when the kernel is compiled; an array of NumPy may be one, and a tuple of numbers has any index |

    `spmd.language` has `global_id local_id group_id global_size local_size enqueued_local_size
    num_groups lane_id sub_group_id sub_group_size num_sub_groups`, `barrier`, `local` and
    `private`, the collectives `reduce scan broadcast any all ballot elect shuffle shuffle_xor
    shuffle_up shuffle_down shuffle_rotate`, and `atomic_add atomic_sub atomic_min atomic_max
    atomic_and atomic_or atomic_xor atomic_exchange atomic_cas`, and `fma`. Their docstrings say how they
    are called, [language.md](language.md) what they mean. An atomic operation takes
    `ordering="acq_rel"` and `scope="work_group"`, say; without them it orders nothing else.

    An index that is known at run time has to be inside of the array: `x[i - 1]` is the last
    element in Python if `i` is 0, and undefined here, since a test in each access would keep
    neighbours from being one vector load. `x[(i - 1) % len(x)]` says it. The same holds for
    the bounds of slices, except that they may be past the end, as in Python.

    **Types of arithmetic** are those of NumPy 2. Python's own `int` and `float` take the type of
    the NumPy number that they meet; ids, sizes and counters of `range` are `int`.

    | one | other | together |
    | --- | --- | --- |
    | `int` | `int` | `int` (`/`: `float`) |
    | `int` | `float` | `float` |
    | `int` | int8 to uint64, float16 to float64 | that type |
    | `float` | float16 to float64 | that type |
    | `float` | int8 to uint64 | float64 |
    | float32 | float64 | float64 |
    | int32 | float32 | float64 |
    | int32 | int64 | int64 |
    | int64 | uint64 | an error: NumPy would round |
    | bool | bool | an error: write `int(...)` |

    In a comparison an `int` keeps its value, whatever it is compared with: `-1 < x[i]` holds for all
    numbers without a sign.

    Integers wrap around; nothing else is checked, so that `x[i]` with an index outside is undefined
    (`check` finds it). A function of `math` stays in the type of its argument, as that of NumPy
    does: `math.exp` of a float32 is a float32. Elements of arrays are converted when they are
    stored, as NumPy does it.

    **A variable** has one type, that of all that is assigned to it: an `int` becomes the number
    that it meets, a `float` the float that it meets. Anything else is an error; convert one of them,
    or declare the variable: `n: np.int32 = 0`. It must have a value on every path to where it is
    used.

    **A parameter** may be annotated by a type of numbers, which then is its type whatever the
    argument is, or by `constexpr`: its value is compiled in, and may be the size of local memory. `None` is compiled in, too:
    `if mask is None` asks for an array that may be left out.
    """)
    return


@app.cell
def _(global_id, np, spmd):
    from spmd.language import constexpr


    @spmd.kernel
    def repeat(x, a: np.float32, times: constexpr):
        for _ in range(times):
            x[global_id()] *= a


    x_6 = np.ones(3, np.float32)
    repeat(x_6, 2, times=3, global_size=3)
    print(x_6)
    return (constexpr, repeat, x_6,)


@app.cell
def _(mo):
    mo.md(r"""
    Floats are rounded after each operation, as NumPy does it. `@spmd.kernel(fastmath=True)` allows
    another order of sums, a product and a sum at once, and a product by the reciprocal instead of a
    quotient; NaN and infinities keep their meaning. A list of flags of LLVM, such as `fastmath=["contract"]`,
    allows just these.

    ## Whole arrays

    What is done to each element, or to all of them, needs no kernel: a function of numbers is
    enough, and arrays of any size, type and layout.
    """)
    return


@app.cell
def _(np, spmd):
    def gain(v, low, high):
        return (min(max(v, low), high) - low) / (high - low)


    photo = np.random.default_rng(4).random((200, 300))
    print(np.allclose(spmd.map(gain, photo, 0.25, 0.75), (photo.clip(0.25, 0.75) - 0.25) / 0.5))
    print(np.isclose(spmd.reduce(sum, photo), photo.sum()))
    print(np.allclose(spmd.reduce(max, photo, axis=0), photo.max(0)))
    print(np.allclose(spmd.scan(sum, photo), photo.cumsum(1)))


    def heat(u, i, j):
        return u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])


    print(spmd.stencil(heat, photo).shape)
    return (gain, photo, heat,)


@app.cell
def _(mo):
    mo.md(r"""
    `map` broadcasts as NumPy does, and finds the type of the result in the function. `reduce` and
    `scan` take what `spmd.language.reduce` takes, `reduce` also a function of two numbers with
    `initial`, its neutral element. Sums have the types of NumPy's, and two runs give the same bits,
    with any number of threads. `stencil` gives the function the arrays and an index, for all elements
    that are at least `margin` from every edge; the others are copied. All but `reduce` take `out`.

    ## Tuning

    How large a group should be, or how much a work-item should do, is found out by trying. The
    first call with new types, or new values of what `key` names, tries all configurations; others
    use the fastest. Arrays are as they were after each trial.
    """)
    return


@app.cell
def _(constexpr, global_id, np, spmd):
    @spmd.autotune(
        configs=[{"each": each, "group_size": size} for each in (1, 4) for size in (64, 256)],
        key=["x"],
    )
    @spmd.kernel
    def squares(x, y, each: constexpr):
        first = global_id() * each
        for k in range(each):
            y[first + k] = x[first + k] ** 2


    x_7 = np.arange(4096, dtype=np.float32)
    y_5 = np.zeros_like(x_7)
    squares(x_7, y_5, global_size=lambda config: x_7.size // config["each"])
    print(np.array_equal(y_5, x_7**2), squares.config(x_7, y_5, global_size=4096) in squares.configs)
    return (squares, x_7, y_5,)


@app.cell
def _(mo):
    mo.md(r"""
    `explain` tells about the one that was found, `check` looks at all of them.

    A configuration has any of `group_size`, `sub_group_size`, `strategy`, `width`, `vectorize` and
    the `constexpr` parameters. One that cannot be launched is left out. What was found is kept in
    `spmd.cache` for the next process.

    ## What became of it

    A kernel has the methods of one that is written in MLIR, with the arguments of a call:
    """)
    return


@app.cell
def _(bins, data, histogram_2, np, softmax):
    x_8 = np.ones((1, 3), np.float32)
    launch = softmax.bind(x_8, x_8.copy(), global_size=(64, 1), group_size=(64, 1))
    launch()  # as cheap as a C call
    print(histogram_2.ir("python", data, bins))
    explanation = histogram_2.explain(data, bins, global_size=4)
    names = [name for name, text in histogram_2.stages(data, bins)]
    print(names[0], names[-1])
    return (x_8, launch, explanation, names,)


@app.cell
def _(mo):
    mo.md(r"""
    [explain.md](explain.md) says how to read explanations, [pipeline.md](pipeline.md) what each
    stage is, [checking.md](checking.md) what `check` finds.
    """)
    return


if __name__ == "__main__":
    app.run()
