"""Wrong kernels in Python, and what users are told: place, types, what to write instead."""

import re

import numpy as np
import pytest

import spmd
from tests.runtime.python.harness import kernel_of

WRONG = [
    # --- statements that kernels do not have
    ("with x: pass", "got with"),
    ("del x", "got del"),
    ("raise ValueError()", "got raise; write assert"),
    ("try: pass\n    except E: pass", "got try"),
    ("import os", "got import; import outside"),
    ("from os import path", "got import; import outside"),
    ("global g", "got global; store results in an array"),
    ("def f(): pass", "got def; define the function outside"),
    ("class C: pass", "got class"),
    ("match i:\n        case 1: pass", "got match; write if and elif"),
    ("return i", "expected a kernel that returns nothing"),
    ("while True: i += 1", "expected a loop that ends"),
    ("for j in 3: pass", "expected range(...), a tuple or an array after in, got int"),
    ("x[global_id] = 1", "got a function global_id, which is not called"),
    ("x[i] = x.mean", "got a method mean, which is not called"),
    ("x[i] = x.max(initial=2)", "expected other arguments of max: got an unexpected"),
    ("x[i] = np.dot(x)", "expected other arguments of dot: missing"),
    ("print(f'{x[i]!r}')", "expected no !r in a text that is printed"),
    (
        "a = x\n    if i: a = x[::2]",
        "their elements lie in other places in memory, as of x, x.T",
    ),
    ("for a, b in range(3): pass", "expected a tuple of 2 values to unpack, got int"),
    ("for j in range(): pass", "expected range(end), range(first, end)"),
    ("for a in zip(): pass", "expected zip(a, b), enumerate(a) or enumerate(a, start)"),
    ("for a in zip(x, n=3): pass", "expected zip(a, b), enumerate(a) or enumerate"),
    ("for a, b in zip(x, (1, 2)): pass", "expected arrays and range(n) in zip"),
    ("for a, b in enumerate(range(2, 9)): pass", "expected arrays and range(n) in zip"),
    ("a = zip(x, u)", "got zip; it stands in 'for a, b in zip(...)' only"),
    ("for j in range(0, 9, 0): pass", "expected a step other than 0 for range, got 0"),
    (
        "for j in range(2.5): pass",
        "expected a whole number as bound of range, got float",
    ),
    ("x.a = 3", "expected a variable, an element of an array"),
    (
        "a, b = global_id()",
        "2 values to unpack, got int; ids and sizes are numbers: gl",
    ),
    (
        "a = None\n    a = i",
        "got a NoneType None in line 4 and int here; use a number suc",
    ),
    (
        "for j in range(3):\n        if i: b = j\n        a = b",
        "value of b on every path to here, got none where a condition does not hold, or a",
    ),
    (
        "for j in range(3): s += j",
        "value of s on every path to here, got none before the",
    ),
    ("a, b = 1, 2, 3", "expected a tuple of 2 values to unpack, got (int, int, int)"),
    ("n: str = 3", "expected a type of numbers and a value"),
    ("assert i, i", "expected a text as message, got int"),
    ("async def f(): pass", "got async def"),
    # --- expressions that kernels do not have
    ("f = lambda a: a", "got a lambda; define a function and mark it @spmd.function"),
    ("a = [1, 2]", "got a list; write a tuple, or private(shape, dtype)"),
    ("a = {1: 2}", "got a dict"),
    ("a = {1, 2}", "got a set"),
    ("a = [j for j in range(3)]", "got a list comprehension; write a loop"),
    ("a = f'{i}'", "got an f-string"),
    (
        "a = 1 if i else (b := 3)",
        "got it after and, or or if; assign b before, or write",
    ),
    ("a = i > 1 and (b := x[i]) > 0", "expected := where it is always computed"),
    ("a = 3j", "got a complex"),
    ("a = max(*x)", "got *; write the arguments"),
    ("a = max(**x)", "expected arguments with names, got **"),
    ("a = 3 @ x", "expected arrays of one dimension for @"),
    ("a = x[i] @ x", "expected arrays of one dimension for @"),
    ("a = i in x", "expected a tuple after in, got an array float32[:]; write a loop"),
    ("for j in reversed(range(3)): pass", "got reversed; write range(n - 1, -1, -1)"),
    ("a = nothing", "expected a name that is defined, got nothing"),
    ("a = exp(x[i])", "that is defined, got exp; write math.exp or np.exp"),
    ("a = TABLE[9]", "expected an index from -3 to 2 for dimension 0 of float64[3]"),
    ("TABLE[i] = 1", "got the constant float64[3]; pass it to the kernel as an arg"),
    ("atomic_add(TABLE, i, 1)", "to write to, got the constant float64[3]"),
    ("a = HUGE[i]", "expected a constant array of 1 to 65536 elements, got 100000"),
    ("a = ord('ab')", "expected one character for ord, got a str ab"),
    ("a = min((1, i)[i], 2)", "values are not known numbers of one type"),
    ("a = (1, True)[i]", "values are not known numbers of one type"),
    ("a = ()[i]", "values are not known numbers of one type"),
    ("a = np.nothing", "expected an attribute of a module numpy, got nothing"),
    ("a = x.T", "argmin, argmax, any, all, dot of an array, got T; write a loop"),
    ("a = x.sum(axis=0)", "got an unexpected keyword argument 'axis'"),
    (
        "a = private((2, 3), np.int8).sum()",
        "one dimension for sum, got an array int8[2, 3]; write a",
    ),
    ("a = np.sort(x)", "got numpy.sort, which is for arrays; write a loop"),
    ("a = sum(i)", "expected a tuple or an array for sum, got int"),
    ("a = np.random.rand()", "got RandomState.rand; compute random numbers, as in s ="),
    ("a = i.real", "expected no attribute of int, got real"),
    # --- types
    ("a = x + 1", "got an array float32[:] and int; a work-item computes elements, as"),
    ("a = private(3, int) * 2", "as in x[global_id()], or in a loop"),
    ("private((2, 3), int)[i] = 2", "for int[2, 3], got 1; write a loop over the"),
    ("a = max(i)", "expected two numbers or more, or a tuple of them, got int"),
    ("a = x[i].astype(int)", "got astype; np.float32(x) and its like convert"),
    ("a = (i < 3) + (i > 1)", "expected numbers for +, got bool and bool; int(...)"),
    ("a = x[i] & 3", "expected whole numbers for &, got float32 and int"),
    ("a = x[i] << 3", "expected whole numbers for <<, got float32 and int"),
    ("a = i << 64", "expected a shift by 0 to 63 of int, got 64"),
    ("a = ~x[i]", "expected a whole number for ~, got float32"),
    ("a = -(i < 3)", "expected a number for -, got bool"),
    ("a = i ** i", "expected a constant from 0 to 64 as exponent of int"),
    ("a = i ** -1", "expected an exponent of at least 0 for int, got -1"),
    ("a = i // 0", "expected a divisor other than 0 for //, got 0"),
    (
        "a = 1 // 0",
        "expected constants that can be computed, got 1 // 0: integer division",
    ),
    ("a = x[i] and 3", "expected bool on both sides of and, or, got float32"),
    ("a = np.uint64(3) + np.int64(i)", "expected types for + that NumPy can join"),
    ("a = 1 if x else 2", "expected a condition that is a number, got an array"),
    ("a = x if i else i", "expected a number on both sides of if, got an array"),
    ("a = np.uint8(300)", "expected a number from 0 to 255 for uint8, got 300"),
    ("a = u[i] + 300", "expected a number from 0 to 255 for uint8, got 300"),
    ("x[i] = int(np.inf)", "expected a number that int can hold, got inf"),
    (
        "x[i] = 1 << 1024",
        "expected a number that float32 can hold, got an int of 1025 bits",
    ),
    ("x[i] = 'a'", "expected a number as element of float32[:], got a str"),
    ("x[i, i] = 3", "expected 1 index for float32[:], got 2"),
    ("a = x[i, i]", "expected at most 1 index for float32[:], got 2"),
    ("x[0:3] = 3", "expected one element, got a slice; write a loop"),
    ("x[:] += 3", "expected one element, got a slice; write a loop"),
    (
        "t = local((2, 2), np.float32)\n    t[:] = 3",
        "expected one element, got a slice; write a loop",
    ),
    ("a = x[0:3:i]", "expected a constant other than 0 as step of a slice, got int"),
    ("a = x[::0]", "expected a constant other than 0 as step of a slice, got 0"),
    ("a = x[x[i]:]", "expected a whole number as bound of a slice, got float32"),
    ("a = x[..., ...]", "expected at most one ... in an index, got several"),
    ("a = x[None]", "expected a whole number as index, got a NoneType None"),
    ("a = x[0:3]\n    a = x", "expected one type for the variable a, got an array"),
    ("a = x[x[i]]", "expected a whole number as index, got float32; int(...)"),
    # The counter is a float32, too: translation has to end all the same.
    ("for c in range(4): x[c] = 1\n    c = x[1]", "whole number as index, got float32"),
    ("x = 3", "expected one type for the variable x, got an array float32[:]"),
    ("a = 1\n    a = True", "expected one type for the variable a, got int in line 4"),
    ("a = x[i]\n    a = u[i]", "convert one, as in np.float32(...)"),
    ("a = (1, 2)\n    a = (1, 2, 3)", "use two variables"),
    (
        "if i: a = 1\n    x[i] = a",
        "expected a value of a on every path to here, got none where",
    ),
    (
        "x[i] = a\n    a = 1",
        "expected a value of a on every path to here, got none before",
    ),
    (
        "for j in range(i): a = 1\n    x[i] = a",
        "got none before the loop, which may not run; give it one there",
    ),
    ("a = (1, 2)[2]", "expected an index below 2 for this tuple, got 2"),
    ("a = 'abc'[0]", "expected an array or a tuple before ["),
    # --- calls
    ("print(x)", "expected numbers and texts in print, got an array"),
    ("print(i, sep=3)", "expected sep and end as texts, and no other names in print"),
    ("print(i, end=i)", "expected sep and end as texts, and no other names in print"),
    ("print(i, file=None)", "and no other names in print, got file"),
    ("print(**x)", "and no other names in print, got **"),
    ("print(*x)", "got *; write the arguments"),
    ("print(f'{i:q}')", "expected a format such as 6d, 08x, .3f or <10.2e"),
    ("print(f'{i:999d}')", "at most 99 wide, got '999d'"),
    ("print(f'{x[i]:d}')", "expected a format for float32, got 'd'"),
    ("print(f'{i:{i}}')", "expected a format that is written out, got a computed one"),
    ("print(f'{(1, i):d}')", "expected numbers and texts in print, got (int, int)"),
    ("print(f'{2:q}')", "expected a format for 2, got an error"),
    ("print('%d' % i)", "got a str %d and int; print takes f-strings"),
    ("print('{}'.format(i))", "got str.format; print takes numbers and f-strings"),
    ("print(str(i))", "got str; print takes numbers and f-strings"),
    (f"print({'i, ' * 40})", "expected at most 32 numbers in one print, got 40"),
    ("a = print(i) + 1", "expected numbers for +, got a NoneType None and int"),
    ("a = len(i)", "expected an array or a tuple for len, got int"),
    ("a = np.zeros(3)", "got numpy.zeros; local(shape, dtype) and private"),
    ("a = i(3)", "expected a function before (, got int"),
    ("a = plain(i)", "got plain; mark it @spmd.function"),
    ("a = np.linalg.norm(i)", "expected a function of spmd.language, of numbers"),
    ("a = loop(i)", "expected functions that do not call themselves, got loop"),
    ("a = helper()", "expected other arguments of helper: missing a required argument"),
    ("a = sometimes(i)", "expected a return on every path through the function"),
    ("a = math.sqrt(1, 2)", "expected other arguments of sqrt: too many"),
    ("a = global_id(3)", "expected a constant dimension of 0, 1 or 2, got 3"),
    ("a = global_id(i)", "expected a constant dimension of 0, 1 or 2, got int"),
    ("a = local(i, np.float32)", "expected sizes that are constants, got one that is"),
    ("a = local(0, np.float32)", "expected sizes of at least 1, got 0"),
    ("a = local(3, 4)", "expected a dtype such as np.float32"),
    ("a = private(4, np.int32)\n    a[4] = 1", "expected an index from -4 to 3"),
    (
        "a = reduce('plus', i)",
        "expected sum, min, max, operator.mul, or one of add, mul",
    ),
    ("a = reduce('and', x[i])", "expected an integer or index for and, got f32"),
    (
        "a = reduce(sum, i, across='all')",
        "expected across of 'work_group', 'sub_group'",
    ),
    ("a = reduce(sum, x)", "expected a number to reduce, got an array float32[:]"),
    ("a = shuffle(i, x[i])", "expected a whole number as lane, got float32"),
    ("atomic_add(i, 0, 1)", "expected an array before [, got int"),
    ("atomic_add(u, 0, 1, ordering='no')", "expected ordering of 'relaxed', 'acquire'"),
    ("atomic_add(u, 0, 1, scope='all')", "expected scope of 'work_group', 'device'"),
    ("atomic_add(u, 0, 0.5)", "expected a number that uint8[:] holds, got float; conv"),
    (
        "atomic_min(u, 0, np.int64(i))",
        "expected a number that uint8[:] holds, got int6",
    ),
    ("atomic_cas(u, 0, 0.5, 1)", "a number that uint8[:] holds, got float; convert it"),
    ("a = 'b' < 3", "expected what can be compared, got an error: '<' not supported"),
    ("a = named(i, b=2)", "expected parameters without **, got **b"),
    ("atomic_add(u, slice, 1)", "expected a whole number as index, got a type slice"),
    ("a = scan(sum, i, exclusive=i > 3)", "expected exclusive as a constant"),
]


def plain(a: int) -> int:
    """A function that kernels cannot call."""
    return a


HELPERS = """
@spmd.function
def loop(a): return loop(a)
@spmd.function
def helper(a): return a
@spmd.function
def named(a, **b): return a
@spmd.function
def sometimes(a):
    if a:
        return a
"""


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_message_and_place(body: str, message: str):
    scope: dict[str, object] = {
        "plain": plain,
        "TABLE": np.array([0.5, 1, 2]),
        "HUGE": np.zeros(100_000),
    }
    helpers = kernel_of(HELPERS + "k = (loop, helper, named, sometimes)\n")
    scope |= {each.name: each for each in helpers}  # pyright: ignore
    kernel = kernel_of(
        f"@spmd.kernel\ndef k(x, u):\n    i = global_id()\n    {body}\n", **scope
    )
    with pytest.raises(spmd.CompileError) as raised:
        kernel(np.zeros(4, np.float32), np.zeros(4, np.uint8), global_size=4)
    assert message in raised.value.message
    assert not isinstance(raised.value, spmd.InternalError)
    assert raised.value.line is not None
    assert raised.value.column is not None
    assert raised.value.source_line


def test_the_caret_stands_below_what_is_wrong():
    kernel = kernel_of(
        "if True:\n    @spmd.kernel\n    def k(x):\n        é = 3\n        x[é] = 1 + (x + 2)\n"
    )
    with pytest.raises(spmd.CompileError) as raised:
        kernel(np.zeros(4), global_size=4)
    _, line, caret = str(raised.value).split("\n")
    assert line[caret.index("^") :] == "x + 2)"
    assert re.search(r"<test \d+>:5:21: expected numbers for \+", str(raised.value))


def test_errors_of_later_passes_show_the_python():
    kernel = kernel_of(
        "@spmd.kernel\ndef k(x):\n    if local_id() < 2:\n        barrier()\n    x[0] = 1\n"
    )
    with pytest.raises(spmd.CompileError) as raised:
        kernel(np.zeros(4), global_size=4)
    assert raised.value.line == 4
    assert raised.value.source_line == "        barrier()"
    assert "to reach barrier(), got one under if (" in raised.value.message
    assert "work-items: local_id(0) -> a comparison; move" in str(raised.value)
    exits = kernel_of(
        "@spmd.kernel(sub_group_size=4)\ndef k(x):\n    i = local_id()\n"
        "    while x[i] > 0:\n        if x[i] > 3:\n            barrier()\n"
        "        else:\n            x[i] = reduce(sum, x[i], 'sub_group')\n"
    )
    for ask in (exits.bind, exits.explain):
        with pytest.raises(spmd.CompileError) as raised:
            ask(np.zeros(4), global_size=4)
        assert raised.value.message.startswith("expected reduce() where the lanes")


def test_findings_of_check_show_the_python():
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    x[0] = global_id()\n")
    report = kernel.check(np.zeros(4), global_size=4)
    assert not report
    assert ":3:" in str(report)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k = spmd.kernel(3)", "expected a function defined by def after @spmd.kernel"),
        ("@spmd.kernel(colour=3)\ndef k(): pass", "expected one of the options"),
        ("@spmd.kernel\ndef k(*x): pass", "without * and **, got *x"),
        ("@spmd.kernel\ndef k(threads): pass", "expected parameters with names other"),
        ("@spmd.kernel(group_size='a')\ndef k(): pass", "expected group_size"),
    ],
)
def test_wrong_decorators(text: str, message: str):
    with pytest.raises(spmd.CompileError, match=re.escape(message)):
        kernel_of(text + "\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "k: missing a required argument: 'x'"),
        ((3, 4), "k: too many positional arguments"),
        (("text",), "argument x: expected a number, or an array of bool, int8"),
        ((np.zeros(3, complex),), "got an array of complex128; x.view(x.real.dtype)"),
        ((np.zeros(3, [("a", float)]),), "a field of it is an array, as in x['a']"),
        ((np.zeros(3, ">f4"),), "native byte order"),
        (([1, 2],), "got list [1, 2]; np.array(...) makes one of a list"),
        (
            ("ab",),
            "got str 'ab'; np.frombuffer(text.encode(), np.uint8) makes an array",
        ),
        ((np.ma.zeros(3),), "expected an array without a mask"),
    ],
)
def test_wrong_arguments(args: tuple[object, ...], message: str):
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    pass\n")
    with pytest.raises(spmd.LaunchError, match=re.escape(message)):
        kernel(*args, global_size=4)


def test_sizes_in_brackets():
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    pass\n")
    with pytest.raises(
        spmd.LaunchError, match=r"got \[\(8, 32\)\]; k\(..., global_size=n\)"
    ):
        kernel[8, 32](np.zeros(3))


def test_a_function_without_text():
    scope: dict[str, object] = {"spmd": spmd}
    exec("@spmd.kernel\ndef k(x):\n    pass\n", scope)
    with pytest.raises(spmd.CompileError, match="whose source text can be read"):
        scope["k"](np.zeros(3), global_size=3)  # type: ignore[operator]
