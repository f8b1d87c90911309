"""
Math functions of libm on whole vectors.

LLVM makes one scalar call per lane of a vector `llvm.exp`. So a vector is cut, or padded,
to what the vector functions of the C library take, in a helper per function and type:

    %y = math.exp %x : vector<32xf32>

    %y = call <32 x float> @spmd.expf.v32(<32 x float> %x)  ->  _ZGVeN16v_expf, twice

Padding repeats the first lane: any other value might be slow or raise a flag. Without a
vector function the helper calls the scalar function for each lane.
"""

from __future__ import annotations

from spmd.lowering.machine import vector_function
from spmd.lowering.math.vector_polynomials import has_polynomial, polynomial_text
from spmd.lowering.writing.literals import constant, shuffle
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.types import like, mangled

PURE = "nounwind willreturn memory(none)"
"""Math functions do not set `errno` here; nobody could read it."""


def libm_name(function: str, scalar: str) -> str:
    """What libm calls its function for `float` or `double`."""
    return function + "f" if scalar == "float" else function


def vector_helper(
    module: ModuleWriter, function: str, scalar: str, arity: int, lanes: int
) -> str:
    """The helper that applies a function of libm to vectors of `float` or `double`."""
    name = libm_name(function, scalar)

    def make() -> str:
        if has_polynomial(name):
            return polynomial_text(helper, name, lanes)
        if name in module.machine.vector_functions:
            return _by_chunks(module, helper, name, arity, lanes, scalar)
        return _by_lanes(module, helper, name, arity, lanes, scalar)

    helper = f"spmd.{name}.v{lanes}"
    return module.helper(helper, make)


def _head(helper: str, arity: int, whole: str, attributes: str) -> str:
    parameters = ", ".join(f"{whole} %x{k}" for k in range(arity))
    return f"define internal {whole} @{helper}({parameters}) {attributes} {{"


def _by_chunks(
    module: ModuleWriter, helper: str, name: str, arity: int, lanes: int, scalar: str
) -> str:
    """The smallest vector function that takes all lanes, or the largest several times."""
    letter, chunk = module.machine.vector_variant(
        lanes, 32 if scalar == "float" else 64
    )
    symbol = vector_function(letter, chunk, name)
    whole, part = like(scalar, lanes), like(scalar, chunk)
    module.declare(symbol, part, [part] * arity, PURE)
    lines = [_head(helper, arity, whole, "alwaysinline nounwind")]
    results: list[str] = []
    for number, first in enumerate(range(0, lanes, chunk)):
        operands: list[str] = []
        for k in range(arity):
            if lanes == chunk:
                operands.append(f"%x{k}")
                continue
            wanted = [
                lane if lane < lanes else 0 for lane in range(first, first + chunk)
            ]
            operand = f"%x{k}.{number}"
            lines.append(f"  {operand} = {shuffle(whole, f'%x{k}', 'poison', wanted)}")
            operands.append(operand)
        passed = ", ".join(f"{part} {operand}" for operand in operands)
        lines.append(f"  %y.{number} = call {part} @{symbol}({passed})")
        results.append(f"%y.{number}")
    result = _joined(lines, results, chunk, scalar)
    if len(results) * chunk != lanes:
        held = like(scalar, len(results) * chunk)
        lines.append(f"  %result = {shuffle(held, result, 'poison', range(lanes))}")
        result = "%result"
    lines += [f"  ret {whole} {result}", "}"]
    return "\n".join(lines)


def _joined(lines: list[str], parts: list[str], width: int, scalar: str) -> str:
    """Puts vectors of equal width one after the other, pair by pair."""
    while len(parts) > 1:
        joined: list[str] = []
        if len(parts) % 2:
            parts = [*parts, "poison"]
        for left, right in zip(parts[::2], parts[1::2], strict=True):
            name = f"{left}.{2 * width}"
            text = shuffle(like(scalar, width), left, right, range(2 * width))
            lines.append(f"  {name} = {text}")
            joined.append(name)
        parts, width = joined, 2 * width
    return parts[0]


def _by_lanes(
    module: ModuleWriter, helper: str, name: str, arity: int, lanes: int, scalar: str
) -> str:
    """A loop over the lanes; the calls cost more than getting at the lanes does."""
    module.declare(name, scalar, [scalar] * arity, PURE)
    whole = like(scalar, lanes)
    lines = [
        _head(helper, arity, whole, "noinline nounwind"),
        "entry:",
        "  br label %lane",
        "lane:",
        "  %l = phi i32 [ 0, %entry ], [ %next, %lane ]",
        f"  %y = phi {whole} [ poison, %entry ], [ %more, %lane ]",
    ]
    lines += [f"  %x{k}.l = extractelement {whole} %x{k}, i32 %l" for k in range(arity)]
    passed = ", ".join(f"{scalar} %x{k}.l" for k in range(arity))
    lines += [
        f"  %y.l = call {scalar} @{name}({passed})",
        f"  %more = insertelement {whole} %y, {scalar} %y.l, i32 %l",
        "  %next = add i32 %l, 1",
        f"  %last = icmp eq i32 %next, {lanes}",
        "  br i1 %last, label %done, label %lane",
        "done:",
        f"  ret {whole} %more",
        "}",
    ]
    return "\n".join(lines)


def power_helper(
    module: ModuleWriter, base: str, lanes: int | None, exponent_bits: int
) -> str:
    """
    The helper that raises an integer or float to an integer power, by squaring.

    Float: a negative exponent gives the reciprocal. Integer: it gives 1 for 1, 1 or -1
    for -1, and 0 for anything else.
    """
    kind = "fpowi" if base in ("float", "double") else "ipowi"
    suffix = "" if lanes is None else f".v{lanes}"
    helper = f"spmd.{kind}.{base}.i{exponent_bits}{suffix}"
    return module.helper(
        helper, lambda: _power_text(module, helper, base, lanes, f"i{exponent_bits}")
    )


def _power_text(
    module: ModuleWriter, helper: str, base: str, lanes: int | None, exponent: str
) -> str:
    is_float = base in ("float", "double")
    b, e, i1 = like(base, lanes), like(exponent, lanes), like("i1", lanes)
    one = constant("1.0" if is_float else "1", base, lanes)
    zero, bit = constant("0", exponent, lanes), constant("1", exponent, lanes)
    multiply = "fmul" if is_float else "mul"
    magnitude = f"llvm.abs.{mangled(e)}"
    module.declare(magnitude, e, [e, "i1"])
    lines = [
        f"define internal {b} @{helper}({b} %x, {e} %n) nounwind {{",
        "entry:",
        f"  %negative = icmp slt {e} %n, {zero}",
        f"  %size = call {e} @{magnitude}({e} %n, i1 false)",
        "  br label %loop",
        "loop:",
        f"  %m = phi {e} [ %size, %entry ], [ %m.next, %loop ]",
        f"  %square = phi {b} [ %x, %entry ], [ %square.next, %loop ]",
        f"  %y = phi {b} [ {one}, %entry ], [ %y.next, %loop ]",
        f"  %low = and {e} %m, {bit}",
        f"  %odd = icmp ne {e} %low, {zero}",
        f"  %product = {multiply} {b} %y, %square",
        f"  %y.next = select {i1} %odd, {b} %product, {b} %y",
        f"  %square.next = {multiply} {b} %square, %square",
        f"  %m.next = lshr {e} %m, {bit}",
        f"  %more = icmp ne {e} %m.next, {zero}",
    ]
    go_on = "%more"
    if lanes is not None:
        any_lane = f"llvm.vector.reduce.or.v{lanes}i1"
        module.declare(any_lane, "i1", [i1])
        lines.append(f"  %any = call i1 @{any_lane}({i1} %more)")
        go_on = "%any"
    lines += [f"  br i1 {go_on}, label %loop, label %done", "done:"]
    if is_float:
        lines.append(f"  %inverse = fdiv {b} {one}, %y.next")
    else:
        all_ones = constant("-1", base, lanes)
        lines += [
            f"  %is.one = icmp eq {b} %x, {one}",
            f"  %is.minus.one = icmp eq {b} %x, {all_ones}",
            f"  %unit = or {i1} %is.one, %is.minus.one",
            f"  %inverse = select {i1} %unit, {b} %y.next, {b} {constant('0', base, lanes)}",
        ]
    lines += [
        f"  %result = select {i1} %negative, {b} %inverse, {b} %y.next",
        f"  ret {b} %result",
        "}",
    ]
    return "\n".join(lines)
