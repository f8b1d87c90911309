"""
Ops that are an expression of their operands, element by element.

Such an op is a text in which `{0}`, `{1}` and `{2}` stand for the operands, `{t}` for the
element type of the result, `{s}` for that of the first operand, and `{site}` for the op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isinf, isnan
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from spmd.dialects.diagnostics import fail
from spmd.dialects.interfaces.computation import floats_ruled_out, words_of_floats
from spmd.reference import scalars
from spmd.reference.compiler import Body, helper, meaning
from spmd.reference.scalars import POISON, Scalar

Combine = Callable[[Any, Any], Any]


def element(type_: Attribute, op: Operation) -> Scalar:
    """The element type of `type_`; an error if the interpreter has no values of it."""
    scalar = scalars.scalar_of(type_)
    if scalar is None:
        fail(op, f"expected integers, index or floats, got {type_}")
    return scalar


def rounded(text: str, scalar: Scalar) -> str:
    """`text` rounded to the float type, as an expression."""
    return text if scalar.name == "f64" else f"round_{scalar.name}({text})"


def unless_poison(
    body: Body, op: Operation, names: Sequence[str], text: str, otherwise: str
) -> str:
    """`text`, or `otherwise` if an operand, which has one of the `names`, is undefined."""
    guards = [
        f"{name} is POISON"
        for name, operand in zip(names, op.operands, strict=True)
        if body.may_be_poison(operand)
    ]
    return f"{otherwise} if {' or '.join(guards)} else {text}" if guards else text


@helper
def first_float(values: Sequence[float], flags: str) -> Any:
    """The first; undefined where the flags rule out one of them."""
    if "nnan" in flags and any(map(isnan, values)):
        return POISON
    if "ninf" in flags and any(map(isinf, values)):
        return POISON
    return values[0]


def elementwise(body: Body, op: Operation, text: str, *, rounds: bool = False) -> None:
    """
    The single result of `op` is `text`; a float that `rounds` is rounded to its type.

    An undefined operand makes the result undefined, and so do floats that `fastmath` rules
    out; what else it permits is not made use of.
    """
    (result,) = op.results
    scalar = element(result.type, op)
    names = sources = body.uses(op.operands)
    is_vector = isinstance(result.type, VectorType)
    if is_vector:
        names = [f"e{n}" for n in range(len(sources))]
    site = body.site(op) if "{site}" in text else None
    first = element(op.operands[0].type, op)
    expression = text.format(*names, t=scalar, s=first, site=site)
    is_defined = not any(map(body.may_be_poison, (*op.operands, result)))
    in_place = rounds and scalar.name == "f32" and is_defined and not is_vector
    if rounds and not in_place:
        expression = rounded(expression, scalar)
    if flags := floats_ruled_out(op):
        floats = ", ".join((expression, *names))
        expression = f"first_float(({floats}), {','.join(flags)!r})"
        expression = body.defined(op, expression, words_of_floats(flags))
    expression = unless_poison(body, op, names, expression, "POISON")
    if is_vector:
        zipped = sources[0] if len(sources) == 1 else f"zip({', '.join(sources)})"
        expression = f"tuple([{expression} for {', '.join(names)} in {zipped}])"
    if in_place:
        body.line(f"_f[0] = {expression}")
        expression = "_f[0]"
    body.let(result, expression)


def expressions(texts: Mapping[type[Operation], str], *, rounds: bool = False) -> None:
    """Registers ops that are the expressions given for them."""

    @meaning(*texts)
    def _write(body: Body, op: Operation) -> None:
        elementwise(body, op, texts[type(op)], rounds=rounds)


# --- combining two values ------------------------------------------------------------

INTEGER_KINDS = {
    "add": "({0} + {1}) & {t.mask}",
    "sub": "({0} - {1}) & {t.mask}",
    "mul": "({0} * {1}) & {t.mask}",
    "min": "({0} if {0} ^ {t.sign} < {1} ^ {t.sign} else {1})",
    "max": "({0} if {0} ^ {t.sign} > {1} ^ {t.sign} else {1})",
    "minui": "({0} if {0} < {1} else {1})",
    "maxui": "({0} if {0} > {1} else {1})",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "exchange": "{1}",
}
FLOAT_KINDS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "min": "minimumf({0}, {1})",
    "max": "maximumf({0}, {1})",
    "minimumf": "minimumf({0}, {1})",
    "maximumf": "maximumf({0}, {1})",
    "minnumf": "minnumf({0}, {1})",
    "maxnumf": "maxnumf({0}, {1})",
    "exchange": "{1}",
}


def combined(kind: str, scalar: Scalar, old: str, value: str) -> str:
    """What a reduction, scan or atomic of this kind makes of two values."""
    if scalar.is_float:
        text = FLOAT_KINDS[kind].format(old, value)
        return rounded(text, scalar) if kind in ("add", "sub", "mul") else text
    return INTEGER_KINDS[kind].format(old, value, t=scalar)


def combination(kind: str, scalar: Scalar) -> str:
    """`combined` as a function."""
    return f"lambda a, b: {combined(kind, scalar, 'a', 'b')}"
