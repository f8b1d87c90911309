"""Random kernels in Python do natively what they do in Python."""

# pyright: basic

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.runtime.python.harness import expect_as_python, kernel_of
from tests.runtime.python.random_types import check_as_python, write_python_kernel

ITEMS = 13
INTEGERS = ("i", "n", "k", "m")
FLOATS = ("v", "a", "b")
SMALL = st.integers(-6, 9)


@st.composite
def integer(draw: st.DrawFn, depth: int = 2) -> str:
    """An expression of type `int`."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        leaves = [*INTEGERS, "x.shape[0]", "len(y)", str(draw(SMALL))]
        return draw(st.sampled_from(leaves))
    a, b = (draw(integer(depth - 1)) for _ in range(2))
    c = draw(st.sampled_from([-7, -3, -2, 2, 3, 4, 8]))
    forms = [
        f"({a} + {b})",
        f"({a} - {b})",
        f"({a} * {b}) % 1009",
        f"{a} // {c}" if not a.startswith("-") else f"({a}) // {c}",
        f"({a}) % {c}",
        f"({a}) // max(1, {b})",
        f"({a}) % (abs({b}) + 2)",
        f"({a} & {b})",
        f"({a} | {b})",
        f"({a} ^ {b})",
        f"(({a}) >> {draw(st.integers(0, 5))})",
        f"min({a}, {b}, 50)",
        f"max({a}, {b})",
        f"abs({a})",
        f"-({a})",
        f"~({a})",
        f"int({draw(real(depth - 1))})",
        f"({a} if {draw(condition(depth - 1))} else {b})",
        f"int(y[({a}) % {ITEMS}])",
        f"helper({a}, {b})",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def real(draw: st.DrawFn, depth: int = 2) -> str:
    """An expression of type `float`, or float64, that stays small."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*FLOATS, "1.5", "-0.25", "x[i]"]))
    a, b = (draw(real(depth - 1)) for _ in range(2))
    n = draw(integer(depth - 1))
    forms = [
        f"({a} + {b})",
        f"({a} - {b})",
        f"({a} * {b}) % 64.5",
        f"({a} / 4)",
        f"({a} + {n}) % 100",
        f"({a}) // 0.75 % 1024.0",
        f"abs({a})",
        f"-({a})",
        f"min({a}, {b})",
        f"max({a}, {n}, {b}) + 0.5",
        f"({a} if {draw(condition(depth - 1))} else {b})",
        f"float(({n}) % 4096)",
        f"x[({n}) % {ITEMS}]",
        f"np.floor({a})",
        f"np.sqrt(abs({a}))",
        f"({n}) % 4096 / 3",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def condition(draw: st.DrawFn, depth: int = 2) -> str:
    """A condition, of type `bool` or `int`."""
    compare = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    kind = draw(st.sampled_from([integer, real]))
    a, b, c = (draw(kind(max(depth - 1, 0))) for _ in range(3))
    one = f"{a} {draw(compare)} {b}"
    if depth == 0:
        return one
    other = draw(condition(depth - 1))
    forms = [
        one,
        f"{one} {draw(compare)} {c}",
        f"not ({one})",
        f"({one} and {other})",
        f"({one} or {other})",
        f"({one}) == ({other})",
        f"(0 <= k < {ITEMS} and y[k] > {draw(SMALL)})",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def statements(draw: st.DrawFn, depth: int, in_loop: bool, indent: str) -> str:
    """A few statements; loops end after a few iterations."""
    text = ""
    for _ in range(draw(st.integers(1, 3))):
        text += draw(statement(depth, in_loop, indent))
    return text


@st.composite
def otherwise(draw: st.DrawFn, depth: int, indent: str) -> str:
    """The else of a loop, if it has one."""
    if draw(st.integers(0, 2)):
        return ""
    body = draw(statements(depth - 1, False, indent + "    "))
    return f"{indent}else:\n{body}"


@st.composite
def statement(draw: st.DrawFn, depth: int, in_loop: bool, indent: str) -> str:
    """One statement."""
    kinds = ["int", "float", "augmented", "swap", "store", "private", "view"]
    if depth:
        kinds += ["if", "if", "for", "while", "tuple"]
    if in_loop and depth < 3:
        kinds += ["leave"]
    match draw(st.sampled_from(kinds)):
        case "int":
            name = draw(st.sampled_from(INTEGERS[1:]))
            return f"{indent}{name} = ({draw(integer())}) % 1013\n"
        case "float":
            name = draw(st.sampled_from(FLOATS))
            return f"{indent}{name} = ({draw(real())}) % 97.5\n"
        case "augmented":
            op = draw(st.sampled_from(["+=", "-=", "^=", "|=", "//= 3 +", "%= 7 +"]))
            return f"{indent}n {op} abs({draw(integer(1))}) % 11\n"
        case "swap":
            return f"{indent}n, m = m, ({draw(integer(1))}) % 31\n{indent}a, b = b, a\n"
        case "store":
            return f"{indent}out[i, {draw(st.integers(-3, 2))}] += {draw(real(1))}\n"
        case "private":
            at = draw(integer(1))
            return f"{indent}own[({at}) % 4] = n\n{indent}k += own[({at} + 1) % 4]\n"
        case "view":
            first, end = draw(st.integers(0, 9)), draw(st.integers(-4, 15))
            step = draw(st.sampled_from([1, 2, -1, -3]))
            of = draw(st.sampled_from(["x", "y", "out[i]", "own"]))
            text = f"{indent}v{depth}{of[0]} = {of}[{first}:{end}:{step}]\n"
            text += f"{indent}m += len(v{depth}{of[0]})\n"
            text += f"{indent}if len(v{depth}{of[0]}) > 0:\n"
            return text + f"{indent}    m += int(v{depth}{of[0]}[-1]) % 5\n"
        case "tuple":
            body = draw(statements(depth - 1, True, indent + "    "))
            items = f"({draw(SMALL)}, {draw(integer(1))}, {draw(SMALL)})"
            return f"{indent}for k in {items}:\n{body}" + draw(otherwise(depth, indent))
        case "leave":
            leave = draw(st.sampled_from(["break", "continue", "return"]))
            return f"{indent}if {draw(condition(1))}:\n{indent}    {leave}\n"
        case "if":
            inner = indent + "    "
            text = f"{indent}if {draw(condition())}:\n"
            text += draw(statements(depth - 1, in_loop, inner))
            if draw(st.booleans()):
                text += f"{indent}elif {draw(condition(1))}:\n"
                text += draw(statements(depth - 1, in_loop, inner))
            if draw(st.booleans()):
                text += f"{indent}else:\n" + draw(statements(depth - 1, in_loop, inner))
            return text
        case "for":
            step = draw(st.sampled_from(["1", "2", "-1", "-3", "1 + abs(m) % 3"]))
            bounds = f"{draw(SMALL)}, ({draw(integer(1))}) % 9 - 3, {step}"
            body = draw(statements(depth - 1, True, indent + "    "))
            name = draw(st.sampled_from(["j", "k"]))
            text = f"{indent}for {name} in range({bounds}):\n{body}"
            return text + draw(otherwise(depth, indent))
        case _:
            name = f"w{depth}{len(indent)}"
            inner = indent + "    "
            body = draw(statements(depth - 1, True, inner))
            return (
                f"{indent}{name} = 0\n{indent}while {name} < 5 and {draw(condition(1))}:\n"
                f"{inner}{name} += 1\n{body}"
            )


PROLOGUE = """
@spmd.function
def helper(p, q):
    while p > 3:
        if q > 4:
            return p - q
        p = p // 2
        q += 1
    return p

@spmd.kernel
def k(x, y, out):
    i = global_id()
    n = k = 2
    m = i % 3
    v = x[i]
    a = b = 0.5
    j = 0
    own = private(4, np.int64)
    for j in range(4):
        own[j] = j
"""
EPILOGUE = "    out[i, 0] += n + 2 * k + 3 * m + j\n    out[i, 1] += v + a - b\n"


@pytest.mark.slow
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
)
@given(body=statements(2, False, "    "))
def test_random_program(body: str):
    kernel = kernel_of(PROLOGUE + body + EPILOGUE)
    random = np.random.default_rng(1)
    x, y = random.integers(-40, 41, ITEMS) / 8, random.integers(-20, 21, ITEMS)
    expect_as_python(kernel, x, y, np.zeros((ITEMS, 3)), global_size=ITEMS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_types(seed: int):
    check_as_python(write_python_kernel(Random(seed).randrange), seed)
