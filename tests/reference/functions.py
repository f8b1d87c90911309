"""Runs small functions in the interpreter."""

from __future__ import annotations

from typing import Any

from spmd.reference import run_function
from tests.execution.harness import parsed


def evaluate(
    op: str, operands: list[tuple[str, Any]], result: str, *, constants: str = ""
) -> Any:
    """
    The result of one op.

    `op` has the operands as `%0`, `%1`, ...; `operands` are their types and values.
    """
    names = [f"%a{i}" for i in range(len(operands))]
    parameters = ", ".join(
        f"{name}: {type_}" for name, (type_, _) in zip(names, operands, strict=True)
    )
    text = op
    for i, name in reversed(list(enumerate(names))):
        text = text.replace(f"%{i}", name)
    source = f"""
func.func @f({parameters}) -> {result} {{
  {constants}
  %r = {text}
  func.return %r : {result}
}}
"""
    return call(source, *(value for _, value in operands))[0]


def call(source: str, *args: Any, name: str = "f") -> list[Any]:
    """The results of a function."""
    return run_function(parsed(source), name, args)
