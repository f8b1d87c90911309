"""Compiles kernels and functions, and gives calls and returns their meaning."""

from __future__ import annotations

import re

from xdsl.dialects import func
from xdsl.ir import Operation

from spmd.dialects.diagnostics import fail
from spmd.dialects.spmd import ReturnOp
from spmd.reference.compiler import Body, Function, Program, meaning


def write_return(body: Body, last: Operation) -> None:
    """The end of a function."""
    if not isinstance(last, ReturnOp | func.ReturnOp):
        fail(last, f"expected spmd.return or func.return, got {last.name}")
    values = body.uses(last.operands)
    body.line(f"return {', '.join(values)}")


def compile_function(
    program: Program, op: Function, callers: tuple[Function, ...] = ()
) -> str:
    """
    The name, in the program, of the Python function for `op`.

    Its arguments are the work-item `w`, the position `k` of the caller, and those of
    `op`. A function in which work-items wait for each other is a generator, and is
    compiled for each call site, so that a site stands for one call path.
    """
    waits = op in program.waiting
    if not waits and op in program.compiled:
        return program.compiled[op]
    if not op.body.blocks:
        fail(op, f"expected a function with a body, got a declaration of {op.sym_name}")
    hint = re.sub(r"\W", "_", op.sym_name.data)
    name = program.bind(None, hint)
    if not waits:
        program.compiled[op] = name  # before its body, which may be recursive
    body = Body(program, (*callers, op))
    arguments = [body.new(argument) for argument in op.body.blocks[0].args]
    with body.suite(f"def {name}({', '.join(['w', 'k', *arguments])})"):
        if waits:
            body.line("if False: yield")
        body.region(op.body, write_return)
    try:
        program.define("\n".join(body.lines), name)
    except SyntaxError:
        # Python's own limit; nothing else in the source can be wrong.
        fail(op, "expected at most 20 loops around each other for the interpreter")
    return name


@meaning(func.CallOp)
def _call(body: Body, op: func.CallOp) -> None:
    name = op.callee.string_value()
    callee = body.program.symbols.get(name)
    if not isinstance(callee, func.FuncOp):
        fail(op, f"expected the name of a func.func of this module, got @{name}")
    waits = callee in body.program.waiting
    if waits and callee in body.callers:
        path = [*body.callers[body.callers.index(callee) :], callee]
        cycle = " -> ".join(f"@{function.sym_name.data}" for function in path)
        fail(op, f"expected calls without recursion, got {cycle}")
    target = compile_function(body.program, callee, body.callers)
    position = body.position(body.site(op)) if waits else "k"
    arguments = ", ".join(["w", position, *body.uses(op.arguments)])
    call = f"{'yield from ' if waits else ''}{target}({arguments})"
    results = [body.new(result) for result in op.results]
    body.line(f"{', '.join(results)} = {call}" if results else call)
