"""`print` in a kernel, with numbers, texts and f-strings."""

from __future__ import annotations

import ast
from collections.abc import Callable

from xdsl.ir import SSAValue

from spmd.dialects.messages import MAX_VALUES, escaped, place_with
from spmd.dialects.spmd import PrintOp
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.types import FLOAT
from spmd.frontends.python.values import Constant, Host, Items, Number, Value, described

Translate = Callable[[ast.expr], Value]


def write_print(e: Emitter, node: ast.Call, value: Translate) -> Value:
    """A call of `print`; `value` translates what is printed."""
    around = {"sep": " ", "end": "\n"}
    for keyword in node.keywords:
        given = value(keyword.value)
        known = given.value if isinstance(given, Host | Constant) else ...
        if keyword.arg in around and isinstance(known, str | None):
            around[keyword.arg] = around[keyword.arg] if known is None else known
        elif keyword.arg != "flush":
            e.fail(
                "expected sep and end as texts, and no other names in print, got "
                f"{keyword.arg or '**'}"
            )
    text = _Text(e, value)
    for number, argument in enumerate(node.args):
        text.message += escaped(around["sep"]) if number else ""
        text.add(argument)
    text.message += escaped(around["end"])
    if len(text.values) > MAX_VALUES:
        e.fail(
            f"expected at most {MAX_VALUES} numbers in one print, got {len(text.values)}"
        )
    e.append(PrintOp(text.message, text.values))
    return Host(None)


class _Text:
    """What is printed, so far: see `dialects/messages.py`."""

    def __init__(self, e: Emitter, value: Translate):
        self._e = e
        self._value = value
        self.message = ""
        self.values: list[SSAValue] = []

    def add(self, node: ast.expr) -> None:
        """Adds an argument."""
        if not isinstance(node, ast.JoinedStr):
            self._add_value(self._value(node))
            return
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                self.add(part)
                continue
            if part.conversion not in (-1, ord("s")):
                self._e.fail(
                    f"expected no !{chr(part.conversion)} in a text that is printed, got "
                    "one; leave it out"
                )
            spec = part.format_spec
            parts = spec.values if isinstance(spec, ast.JoinedStr) else []
            known = [each.value for each in parts if isinstance(each, ast.Constant)]
            if len(known) < len(parts):
                self._e.fail(
                    "expected a format that is written out, got a computed one"
                )
            value = self._value(part.value)
            # Python's f-strings show numbers of NumPy as its own, and print does not.
            if part.conversion == -1 and not known and isinstance(value, Number):
                value = self._as_python(value)
            self._add_value(value, "".join(map(str, known)))

    def _as_python(self, number: Number) -> Number:
        if number.type.name not in ("float16", "float32"):
            return number
        return Number(FLOAT, self._e.ssa(self._e.convert(number, FLOAT)))

    def _add_value(self, value: Value, format_: str = "", quotes: bool = False) -> None:
        match value:
            case Host(known) | Constant(_, known):
                if isinstance(value, Constant) and not quotes:
                    known = value.host
                try:
                    shown = repr(known) if quotes else format(known, format_)
                except (ValueError, TypeError) as error:
                    self._e.fail(
                        f"expected a format for {known!r}, got an error: {error}"
                    )
                self.message += escaped(shown)
            case Items(values) if not format_:
                self.message += "("
                for number, each in enumerate(values):
                    self.message += ", " if number else ""
                    self._add_value(each, quotes=True)
                self.message += ",)" if len(values) == 1 else ")"
            case Number():
                self._add_number(value, format_)
            case _:
                self._e.fail(
                    f"expected numbers and texts in print, got {described(value.type)}; "
                    "print its elements"
                )

    def _add_number(self, number: Number, format_: str) -> None:
        e = self._e
        if number.type.kind == "b" and not format_:
            self.message += "{False|True}"
        else:
            if number.type.kind != "f" and format_[-1:] in tuple("eEfFgG"):
                number = Number(FLOAT, e.ssa(e.convert(number, FLOAT)))
            try:
                place = place_with(format_, number.type.kind == "u")
            except ValueError as error:
                e.fail(str(error))
            if not place.is_for(number.type.kind == "f"):
                e.fail(f"expected a format for {number.type}, got '{format_}'")
            self.message += str(place)
        self.values.append(number.ssa)
