"""
Puts the body of a function in the place of each call in a kernel.

Barriers and ids may stand in functions; from here on they stand in kernels only.

```mlir
// before
func.func private @square(%v: f32) -> f32 {
  %w = arith.mulf %v, %v : f32
  func.return %w : f32
}
spmd.kernel @k(...) {
  ...
  %r = func.call @square(%a) : (f32) -> f32
// after
spmd.kernel @k(...) {
  ...
  %r = arith.mulf %a, %a : f32
```

A function of several blocks becomes an `scf.execute_region` with one exit.

Requires: nothing beyond verified IR.
Ensures: kernels without calls. Functions that kernels called are gone if they are private,
and so are all that only work-items can run; others stay as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf, func, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.dialects.diagnostics import fail
from spmd.dialects.interfaces.legality import HostOnly
from spmd.dialects.rewriting import hint, replace, replace_by_body
from spmd.dialects.spmd import KernelOp, SubGroupOp
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.spmd.launch import needs_work_item
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION

MAX_INLINED_OPS = 100_000
"""Operations that the calls of one kernel may be replaced by."""


@dataclass(frozen=True)
class SpmdInlineCallsPass(ModulePass):
    """Function bodies instead of calls; see the module docstring."""

    name = "spmd-inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {
            f.sym_name.data: f for f in op.body.block.ops if isinstance(f, func.FuncOp)
        }
        inliner = _Inliner(functions)
        for kernel in kernels_in(op):
            inliner.inline_into(kernel)
        _erase_unused(op, inliner.used)


class _Inliner:
    def __init__(self, functions: dict[str, func.FuncOp]):
        self.functions = functions
        self.used: dict[str, func.FuncOp] = {}
        self._flat: dict[str, tuple[Region, int]] = {}
        """The body of a function without calls, and how many operations it has."""

    def inline_into(self, kernel: KernelOp) -> None:
        """Replace all calls in `kernel`."""
        for name in self._callees_first(kernel):
            function = self.functions[name]
            self.used[name] = function
            body = function.body.clone()
            size = 0
            for op in body.walk():
                size += 1
                HostOnly.verify_for_work_items(op)
            size = self._replace_calls(body, size)
            self._flat[name] = body, size
        self._replace_calls(kernel.body, 0)

    def _callees_first(self, kernel: KernelOp) -> Iterator[str]:
        """The functions that `kernel` calls, each after those that it calls itself."""
        path: dict[str, None] = {}
        stack = [_calls_in(kernel.body)]
        while stack:
            call = next(stack[-1], None)
            if call is None:
                stack.pop()
                if path:
                    name, _ = path.popitem()
                    yield name
                continue
            name = call.callee.string_value()
            if name in self._flat:
                continue
            if name in path:
                names = list(path)
                cycle = [*names[names.index(name) :], name]
                fail(
                    call,
                    "expected functions that do not call themselves, got "
                    + " -> ".join(f"@{n}" for n in cycle),
                )
            function = self.functions.get(name)
            if function is None:
                fail(call, f"expected @{name} to be a function of this module")
            if not function.body.blocks:
                fail(
                    call,
                    f"expected @{name} to have a body, since work-items call it; got a "
                    "declaration",
                )
            path[name] = None
            stack.append(_calls_in(function.body))

    def _replace_calls(self, region: Region, size: int) -> int:
        """Replace all calls in `region`; returns the size it has then."""
        for call in _calls_in(region):
            body, more = self._flat[call.callee.string_value()]
            size += more
            if size > MAX_INLINED_OPS:
                fail(
                    call,
                    f"expected calls that become at most {MAX_INLINED_OPS} operations "
                    f"when they are inlined, got {size} with this one; call less, or "
                    "loop around one call",
                )
            inline_call(call, body.clone())
        return size


def inline_call(call: func.CallOp, body: Region) -> None:
    """Put `body`, a function body of its own, in the place of `call`."""
    entry = body.blocks[0]
    for argument, value in zip(entry.args, call.arguments, strict=True):
        argument.replace_all_uses_with(hint(value, argument))
    for argument in reversed(entry.args):
        entry.erase_arg(argument)
    if len(body.blocks) > 1:
        _insert_region(call, body)
        return
    replace_by_body(call, entry)


def _insert_region(call: func.CallOp, body: Region) -> None:
    """Put a body of several blocks in the place of `call`."""
    types = tuple(result.type for result in call.results)
    exit_ = Block(arg_types=types)
    exit_.add_op(scf.YieldOp(*exit_.args))
    for block in body.blocks:
        if isinstance(end := block.last_op, func.ReturnOp):
            replace(end, cf.BranchOp(exit_, *end.arguments))
    body.add_block(exit_)
    replace(call, scf.ExecuteRegionOp(types, body))


def _erase_unused(module: ModuleOp, inlined: dict[str, func.FuncOp]) -> None:
    """Erase the functions that only work-items can run, or that nobody can see any more."""
    functions = {
        function.sym_name.data: function
        for function in module.body.block.ops
        if isinstance(function, func.FuncOp)
    }
    callers = Counter(
        call.callee.string_value()
        for function in functions.values()
        for call in _calls_in(function.body)
    )
    worklist = list(functions)
    while worklist:
        name = worklist.pop()
        function = functions.get(name)
        if function is None or callers[name]:
            continue
        private = function.sym_visibility == StringAttr("private")
        if (private and name in inlined) or _is_for_work_items(function):
            called = [call.callee.string_value() for call in _calls_in(function.body)]
            callers.subtract(called)
            worklist += called
            Rewriter.erase_op(functions.pop(name))


def _is_for_work_items(function: func.FuncOp) -> bool:
    """Whether only work-items can run `function`, and no pass has made lanes of them yet."""
    lowered = WORK_GROUP_FUNCTION in function.attributes
    ops = () if lowered else tuple(function.walk())
    return any(map(needs_work_item, ops)) and not any(
        isinstance(op, SubGroupOp) for op in ops
    )


def _calls_in(region: Region) -> Iterator[func.CallOp]:
    return (op for op in tuple(region.walk()) if isinstance(op, func.CallOp))
