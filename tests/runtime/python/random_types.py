"""
Random kernels in numbers of every type, which do natively what they do in Python.

Beside `test_random_programs.py`, which is about control flow and has `int` and `float` only:
casts, conversions where elements are stored, wrapping, atomics, tuples, calls, constants,
what is printed, and values that work-items exchange.
"""

# pyright: basic

import contextlib
import io
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from tests.execution.harness import target_for
from tests.fuzz.writing.writer import Choose
from tests.runtime.python.harness import kernel_of

ITEMS, GROUP = 13, 8
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
TYPES = [*SIGNED, *UNSIGNED, *FLOATS]
UPDATES = ["add", "min", "max", "and", "or", "xor", "sub"]


class Writer:
    """Writes a program; every variable, say `v_int8`, has the type that it is named after."""

    def __init__(self, choose: Choose):
        self.choose = choose
        self.types = [self.one_of(*TYPES) for _ in range(3)]
        self.kind = self.one_of("plain", "prints", "meets")
        self.number = 0

    def one_of(self, *options: Any) -> Any:
        return options[self.choose(len(options))]

    def dtype(self) -> str:
        return self.one_of(*self.types)

    def fresh(self) -> str:
        self.number += 1
        return f"w{self.number}"

    # --- expressions ------------------------------------------------------------------

    def whole(self) -> str:
        """An `int` from 0 to 99."""
        t = self.dtype()
        tables = ["int(W[(i + n) % 7])", "int(W[2:][j % 5])", "(3, 5, C)[i % 3]"]
        forms = [
            *("i", "j", "n", "C", "len(T)", "3", *tables),
            f"int({self.clean(t, 0, 0)})",
            f"int(a_{t}[n % 3 : 9].{self.one_of('argmin', 'argmax')}())",
        ]
        if t in FLOATS:
            forms += [f"{f}({self.clean(t, 0, 0)})" for f in ("round", "math.floor")]
        return f"abs({self.one_of(*forms)}) % {self.one_of(100, 13, 7)}"

    def clean(self, t: str, depth: int, low: int = -99) -> str:
        """A number of type `t` that every type has, from `low` to 99."""
        if t in FLOATS:
            return f"min(99, max({low}, {self.value(t, depth)}))"
        least, value = 0 if t in UNSIGNED else low, self.value(t, depth)
        return f"min(np.{t}(99), max(np.{t}({least}), {value}))"

    def cast(self, t: str, depth: int) -> str:
        u = self.dtype()
        inner = self.value(u, depth)
        if u in FLOATS and t not in FLOATS:
            inner = self.clean(u, depth, 0 if t in UNSIGNED else -99)
        return f"np.{t}({inner})"

    def mixed(self, t: str, depth: int) -> str:
        """Two types that meet."""
        u, w = self.dtype(), self.dtype()
        if {u, w} & {"uint64"} and {u, w} & set(SIGNED):
            w = u
        a, b = self.value(u, depth), self.value(w, depth)
        met = f"({a} {self.one_of('+', '-', '*', '/')} {b})"
        low = 0 if t in UNSIGNED else -99
        return f"np.{t}(min(99, max({low}, np.float64({met}))))"

    def value(self, t: str, depth: int) -> str:
        """An expression of type `t`."""
        if depth == 0 or self.one_of(0, 0, 0, 1):
            element = f"a_{t}[({self.one_of('i', 'n', 'j', 'i + 3')}) % {ITEMS}]"
            constant = self.one_of(0, 1, 5, 99, *([] if t in UNSIGNED else [-1, -98]))
            return self.one_of(
                f"v_{t}", f"v_{t}", f"u_{t}", element, f"np.{t}({constant})"
            )
        a, b = self.value(t, depth - 1), self.value(t, depth - 1)
        forms = [
            *(f"({a} {op} {b})" for op in "+-*"),
            f"({a} + {self.one_of(1, 2, 7)})",
            f"({self.one_of(1, 2, 7)} * {a})",
            f"min({a}, {b})",
            f"max({a}, {b})",
            f"abs({a})",
            f"-({a})",
            f"np.square({a})",
            f"{self.one_of('sum', 'min', 'max')}(a_{t}[{self.one_of('0:4', 'n % 3 : 9')}])",
            f"a_{t}[i % 5 :].{self.one_of('min', 'max')}()",
            f"({a} if {self.condition(depth - 1)} else {b})",
            f"np.{t}(np.where({self.condition(depth - 1)}, {a}, {b}))",  # no array
            f"pick({self.condition(depth - 1)}, {a}, {b})",
            f"np.{t}(pick({self.condition(depth - 1)}, {self.one_of(1, 2, 7)}, {b}))",
            f"np.{t}({self.whole()})",
            f"np.{t}({self.condition(depth - 1)})",
            self.cast(t, depth - 1),
            self.cast(t, depth - 1),
            self.mixed(t, depth - 1),
        ]
        if t in FLOATS:
            forms += [
                f"({a} * 0.5)",
                f"({a} / {b})",
                f"({a}) % 7.5",
                f"F({a})",
                f"np.{self.one_of('floor', 'ceil', 'trunc', 'rint')}({a})",
                f"np.sqrt(abs({a}))",
                # The sign of what is no number is that of nobody.
                f"np.copysign({a}, {b} if {b} == {b} else 1.0)",
            ]
        else:
            last = 8 * np.dtype(t).itemsize - 1
            forms += [
                f"({a}) // (abs({b}) | 1)",
                f"({a}) % (abs({b}) | 1)",
                *(f"({a} {op} {b})" for op in "&|^"),
                f"~({a})",
                *(f"(({a}) {op} ({b} & np.{t}({last})))" for op in ("<<", ">>")),
            ]
        return self.one_of(*forms)

    def condition(self, depth: int) -> str:
        t = self.dtype()
        compare = self.one_of("<", "<=", ">", ">=", "==", "!=")
        one = f"{self.value(t, depth)} {compare} {self.value(t, max(depth - 1, 0))}"
        if depth == 0:
            return self.one_of(f"({one})", "(i % 3 == j % 2)", "(C > 2)", "(n > 4)")
        return self.one_of(
            f"({one})",
            f"(0 < {self.whole()} {compare} n)",
            f"(bool({self.value(t, 0)}) {self.one_of('and', 'or', '==')} ({one}))",
            f"(not {self.condition(0)})",
        )

    # --- statements -------------------------------------------------------------------

    def statements(self, depth: int, indent: str, in_loop: bool = False) -> str:
        count = 1 + self.choose(3)
        return "".join(self.statement(depth, indent, in_loop) for _ in range(count))

    def statement(self, depth: int, indent: str, in_loop: bool) -> str:
        forms = [self.simple] * 5 + [self.memory] * 3
        if depth:
            forms += [self.branch, self.loop, self.each]
        if in_loop:
            forms.append(self.leave)
        return self.one_of(*forms)(depth, indent)

    def simple(self, depth: int, indent: str) -> str:
        t, u = self.dtype(), self.dtype()
        if self.kind == "prints" and self.one_of(0, 1):
            format_ = self.one_of("", ":.3f" if t in FLOATS else ":5d")
            shown = self.one_of(
                f"v_{t}, i, v_{u}, sep='|'",
                f"f'{{v_{t}{format_}}} {{n:03d}}', end=';'",
                f"(i, n), v_{t}, v_{u} > u_{u}",
            )
            return f"{indent}print({shown})\n"
        op = self.one_of("+=", "-=", "*=")
        forms = [
            f"v_{t} = {self.value(t, 3)}",
            f"v_{t} {op} {self.value(t, 2)}",
            f"v_{t}, u_{t} = u_{t}, {self.value(t, 2)}",
            f"v_{t}, n = halves({self.value(t, 1)}, {self.whole()})",
            f"p_{t} = ({self.value(t, 2)}, {self.whole()})",
            f"u_{t}, n = p_{t}",
            f"v_{t} = p_{t}[{self.one_of(0, -2)}]",
            f"n = {self.whole()}",
            f"n += {self.whole()}",
        ]
        return f"{indent}{self.one_of(*forms)}\n"

    def memory(self, depth: int, indent: str) -> str:
        """Stores, with a conversion, and atomic updates."""
        t, u = self.dtype(), self.dtype()
        low = 0 if t in UNSIGNED else -99
        # NumPy does not store what the type does not hold.
        given = self.value(u, 2) if u == t else self.clean(u, 2, low)
        at = f"[i, {self.one_of(0, 1, -1)}]"
        view, other = self.fresh(), self.fresh()
        forms = [
            f"o_{t}{at} = {given}",
            f"o_{t}{at} += {self.value(t, 2)}",
            f"own_{t}[{self.whole()} % 4] = {given}",
            f"v_{t} = own_{t}[{self.whole()} % 4]",
            f"{view} = a_{t}[{self.one_of('::2', '1:9', '::-1', '-5:')}]\n"
            f"{indent}v_{t} += {view}[{self.whole()} % len({view})]",
            f"{view}, {other} = o_{t}[i]\n{indent}v_{t} = {view} + {other}",
        ]
        if t != "float16":
            allowed = ["add", "sub", "min", "max"] if t in FLOATS else UPDATES
            kind = self.one_of(*allowed)
            number = f"np.{t}({self.whole()})"
            place = f"c_{t}, ({UPDATES.index(kind) % 6}, {self.whole()} % 3)"
            exact = number if t in FLOATS else self.value(t, 2)
            forms += [
                f"atomic_{kind}({place}, {exact}, scope={self.one_of('device', 'work_group')!r})"
            ] * 2
            forms.append(f"v_{t} = atomic_{kind}(o_{t}, (i, 1), {number})")
        if t not in FLOATS:
            wanted = self.one_of(f"o_{t}[i, 0]", self.value(t, 1))
            forms.append(
                f"v_{t}, won = atomic_cas(o_{t}, (i, 0), {wanted}, {self.value(t, 1)})\n"
                f"{indent}n += int(won)"
            )
        return f"{indent}{self.one_of(*forms)}\n"

    def branch(self, depth: int, indent: str) -> str:
        inner = indent + "    "
        text = f"{indent}if {self.condition(2)}:\n{self.statements(depth - 1, inner)}"
        if self.one_of(0, 1):
            text += f"{indent}else:\n{self.statements(depth - 1, inner)}"
        return text

    def loop(self, depth: int, indent: str) -> str:
        inner, count = indent + "    ", self.fresh()
        text = f"{indent}{count} = {self.one_of('0', 'i % 3', 'C')}\n"
        text += f"{indent}while {count} < 6 and {self.condition(1)}:\n"
        text += f"{inner}{count} += {self.one_of(1, 2)}\n"
        text += self.statements(depth - 1, inner, True)
        return text + self.otherwise(depth, indent)

    def each(self, depth: int, indent: str) -> str:
        t = self.dtype()
        over, used = self.one_of(
            (f"range({self.whole()} % 5)", "n = (n + {}) % 50"),
            ("T", "n = (n + {}) % 50"),
            (f"a_{t}[2:6]", f"v_{t} += {{}}"),
            (f"own_{t}", f"u_{t} = {{}}"),
        )
        name = self.fresh()
        inner = indent + "    "
        text = f"{indent}for {name} in {over}:\n{inner}{used.format(name)}\n"
        return (
            text
            + self.statements(depth - 1, inner, True)
            + self.otherwise(depth, indent)
        )

    def otherwise(self, depth: int, indent: str) -> str:
        if self.one_of(0, 1):
            return ""
        return f"{indent}else:\n{self.statements(depth - 1, indent + '    ')}"

    def leave(self, depth: int, indent: str) -> str:
        leave = self.one_of("break", "continue", "return")
        if self.kind == "meets" and leave == "return":
            leave = "break"
        return f"{indent}if {self.condition(1)}:\n{indent}    {leave}\n"

    def meeting(self) -> str:
        """What all work-items of a group do together."""
        t = self.dtype()
        kind = self.one_of("sum", "min", "max", "operator.xor")
        if t in FLOATS:
            kind = self.one_of("min", "max")
        # In Python alone, what the bounds of a float cut off is an `int`.
        shared = f"np.{t}({self.clean(t, 1)})"
        forms = [
            f"    tile_{t}[local_id()] = {self.value(t, 2)}\n    barrier()\n"
            f"    v_{t} = tile_{t}[({self.whole()}) % local_size()]\n    barrier()\n",
            f"    u_{t} = reduce({kind}, {shared})\n",
            f"    u_{t} = scan({kind}, {shared}, exclusive={self.one_of(True, False)})\n",
            f"    v_{t} = broadcast({self.value(t, 1)}, {self.one_of(0, 3)})\n",
            f"    if any({self.condition(1)}):\n        v_{t} = np.{t}(3)\n",
            f"    for r in range({self.one_of(1, 3)}):\n"
            f"        u_{t} = reduce(max, {shared})\n"
            + self.statements(1, "        ", False),
        ]
        return self.one_of(*forms)

    def program(self) -> str:
        types = sorted(set(self.types))
        arrays = ", ".join(f"a_{t}, o_{t}, c_{t}" for t in types)
        text = PROLOGUE.format(arrays=arrays)
        for t in types:
            text += f"    v_{t} = a_{t}[i]\n    u_{t} = np.{t}(3)\n"
            text += f"    p_{t} = (v_{t}, i)\n    own_{t} = private(4, np.{t})\n"
            text += f"    for j in range(4):\n        own_{t}[j] = j\n"
            if self.kind == "meets":
                text += f"    tile_{t} = local({GROUP}, np.{t})\n"
        text += self.statements(2, "    ")
        for _ in range(self.choose(3) * (self.kind == "meets")):
            text += self.meeting() + self.statements(2, "    ")
        for t in types:
            text += f"    o_{t}[i, 0] += v_{t} + p_{t}[0]\n    o_{t}[i, 1] -= u_{t}\n"
        for t, u in permutations(types, 2):
            value = f"v_{u}"
            if u in FLOATS and t not in FLOATS:
                value = f"min(99, max({0 if t in UNSIGNED else -99}, v_{u}))"
            text += f"    o_{t}[i, 1] += np.{t}({value})\n"
        return text + f"    o_{types[0]}[i, 0] += np.{types[0]}(n % 100)\n"


PROLOGUE = """
import operator

W = np.array([5, 0, 2, 250, 7, 1, 9], np.uint8)

@spmd.function
def pick(wanted, p, q):
    while not wanted:
        p, wanted = p + q, True
    return p

@spmd.function
def halves(p, q):
    while q > 9:
        if q % 3 == 2:
            return p, q // 2
        q = q - 2
    else:
        return p, q + 1

@spmd.kernel
def k({arrays}, C: constexpr, T: constexpr, F: constexpr):
    i = global_id()
    n = i % 5
    j = 2
"""


@dataclass(frozen=True)
class Program:
    """A text, the types of its arrays, and the constants that it is compiled for."""

    source: str
    types: list[str]
    constants: tuple[Any, ...]

    @property
    def launch(self) -> str:
        """How it is called, for a report."""
        return f"{self.types} {self.constants}"


def write_python_kernel(choose: Choose) -> Program:
    """A random program."""
    writer = Writer(choose)
    text = writer.program()
    items = tuple(choose(10) for _ in range(choose(4)))
    function = writer.one_of(abs, np.floor, np.square, np.trunc)
    return Program(text, sorted(set(writer.types)), (choose(6), items, function))


def arrays_of(types: list[str]) -> list[np.ndarray]:
    random, found = np.random.default_rng(1), list[np.ndarray]()
    for t in types:
        if t in FLOATS:
            values = (random.integers(-80, 81, ITEMS) / 8).astype(t)
            values[3:7] = [np.inf, -np.inf, np.nan, -0.0]
        else:
            limits = np.iinfo(t)
            values = random.integers(-80 if t in SIGNED else 0, 81, ITEMS).astype(t)
            values[3:5] = [limits.min, limits.max]
        found += [values, np.zeros((ITEMS, 2), t), np.zeros((6, 3), t)]
    return found


WIDTHS = ("auto", 4, "auto", 16, "auto", 1)


def check_as_python(program: Program, number: int) -> None:
    """Native code stores and prints what Python does; `number` chooses its width."""
    target, width = target_for(program.source), WIDTHS[number % len(WIDTHS)]
    options = f"@spmd.kernel(target={target!r}, width={width!r})"
    kernel = kernel_of(program.source.replace("@spmd.kernel", options))
    results: list[tuple[list[np.ndarray], str]] = []
    # What is atomic in a group is not beside another one.
    threads = 1 if "scope='work_group'" in program.source else None
    for run in (kernel.interpret, lambda *a, **k: kernel(*a, threads=threads, **k)):
        arrays, printed = arrays_of(program.types), io.StringIO()
        with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
            run(*arrays, *program.constants, global_size=ITEMS, group_size=GROUP)
        results.append((arrays, printed.getvalue()))
    (expected, said), (got, native_said) = results
    assert native_said == said
    for want, have in zip(expected, got, strict=True):
        np.testing.assert_array_equal(have, want)
        known = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(have)[known], np.signbit(want)[known])
