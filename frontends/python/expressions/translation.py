"""Expressions of a kernel in Python, as operations and constants."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import FunctionType
from typing import NoReturn, TypeVar, cast

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation
from xdsl.traits import Pure

from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.cost import Cost
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.names import NEGATED
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import binary, promoted, unary
from spmd.frontends.python.expressions.combinations import HANDLERS
from spmd.frontends.python.expressions.comparisons import compare
from spmd.frontends.python.expressions.functions import cast_to, select
from spmd.frontends.python.expressions.of_arrays import attribute, function_of_array
from spmd.frontends.python.expressions.printing import write_print
from spmd.frontends.python.expressions.views import subscript
from spmd.frontends.python.source import Function, is_of_numpy
from spmd.frontends.python.types import BOOL, Scalar, Type, join, scalar_of
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    value_of,
)

_V = TypeVar("_V", bound=Value)

Inline = Callable[[Function, Sequence[Value], Mapping[str, Value]], Value]
"""What writes a call of a function: with its arguments, by place and by name."""

_INSTEAD: dict[type[ast.expr], str] = {
    ast.Lambda: "a lambda; define a function and mark it @spmd.function",
    ast.List: "a list; write a tuple, or private(shape, dtype) for memory",
    ast.Dict: "a dict; kernels have numbers, tuples and arrays",
    ast.Set: "a set; kernels have numbers, tuples and arrays",
    ast.ListComp: "a list comprehension; write a loop",
    ast.SetComp: "a set comprehension; write a loop",
    ast.DictComp: "a dict comprehension; write a loop",
    ast.GeneratorExp: "a generator; write a loop",
    ast.JoinedStr: "an f-string; only print has texts that are made at run time",
    ast.Yield: "yield; a kernel stores its results in arrays",
    ast.YieldFrom: "yield from; a kernel stores its results in arrays",
    ast.Await: "await; a launch returns when all is done",
    ast.Starred: "*; write the arguments or elements one by one",
}
"""Expressions that kernels do not have, and what to write."""

_NO_CALLS: dict[object, str] = {
    builtins.range: "range in an expression; it stands in 'for i in range(...)' only",
    builtins.any: "Python's any; spmd.language has one across work-items",
    builtins.all: "Python's all; spmd.language has one across work-items",
    builtins.enumerate: "enumerate; it stands in 'for i, a in enumerate(...)' only",
    builtins.zip: "zip; it stands in 'for a, b in zip(...)' only",
    builtins.str: "str; print takes numbers and f-strings, as in f'{x:.3f}'",
    np.zeros: "numpy.zeros; local(shape, dtype) and private(shape, dtype) make arrays",
    np.empty: "numpy.empty; local(shape, dtype) and private(shape, dtype) make arrays",
    np.ones: "numpy.ones; local(shape, dtype) and private(shape, dtype) make arrays",
    np.array: "numpy.array; local(shape, dtype) and private(shape, dtype) make arrays",
}
"""Functions that have no meaning in a kernel, and what to write."""


_signature = cache(inspect.signature)


class Expressions:
    """
    Translates expressions.

    `variable` says what a name means, `assign` gives it a value, and `inline` writes the
    call of a function.
    """

    def __init__(
        self,
        emitter: Emitter,
        variable: Callable[[ast.Name], Value],
        assign: Callable[[str, Value, ast.AST], None],
        inline: Inline,
    ):
        self.e = emitter
        self._variable = variable
        self._assign = assign
        self._inline = inline
        self._may_not_run = 0
        """In how many parts of an expression we are that are not always computed."""

    def value(self, node: ast.expr) -> Value:
        """What an expression is; its operations are appended."""
        before, self.e.node = self.e.node, node
        value = self._value(node)
        self.e.node = before
        return value

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value):
                return self._constant(value)
            case ast.Name():
                return self._variable(node)
            case ast.BinOp(left=left, op=op, right=right):
                one, other = self.value(left), self.value(right)
                if isinstance(op, ast.MatMult) and isinstance(one, Memory):
                    return self._called(np.dot, [one, other], {})
                return binary(self.e, op, one, other)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.negated(self.condition(operand))
            case ast.UnaryOp(op=op, operand=operand):
                return unary(self.e, op, self.value(operand))
            case ast.BoolOp():
                return self._logic(node, self._bit)
            case ast.Compare(left=left, ops=ops, comparators=others):
                pairs = list(zip(ops, others, strict=True))
                return self._comparison(self.value(left), pairs)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                return self._attribute(self.value(node.value), node.attr)
            case ast.Subscript():
                return self._element(self.value(node.value), self.value(node.slice))
            case ast.NamedExpr(target=target, value=given):
                if self._may_not_run:
                    self.e.fail(
                        "expected := where it is always computed, got it after and, or or if; "
                        f"assign {target.id} before, or write an if inside of an if"
                    )
                self._assign(target.id, self.value(given), node)
                return self._variable(target)
            case ast.Tuple(elts=elements):
                return Items(tuple(self.value(each) for each in elements))
            case ast.Slice(lower=lower, upper=upper, step=step):
                bounds = (each and self.value(each) for each in (lower, upper, step))
                return Host(slice(*bounds))
            case _:
                instead = _INSTEAD.get(type(node), type(node).__name__)
                self._unsupported(instead)

    def _unsupported(self, what: str) -> NoReturn:
        self.e.fail(f"expected an expression that kernels have, got {what}")

    def _constant(self, value: object) -> Value:
        if value is None or value is ... or isinstance(value, bool | int | float | str):
            return value_of(value)
        self._unsupported(f"a {type(value).__name__}")

    # --- conditions -------------------------------------------------------------------

    def condition(self, node: ast.expr) -> Scalars:
        """Whether an expression counts as true, of type `bool`."""
        if isinstance(node, ast.BoolOp):
            before, self.e.node = self.e.node, node
            result = self._logic(node, self.condition)
            self.e.node = before
            return result
        return self.e.truth(self.value(node))

    def _bit(self, node: ast.expr) -> Scalars:
        value = self.value(node)
        if isinstance(value, Constant | Number) and value.type == BOOL:
            return value
        self.e.fail(
            f"expected bool on both sides of and, or, got {described(value.type)}; write "
            "a comparison, or a if c else b",
            node,
        )

    def negated(self, bit: Scalars) -> Scalars:
        """`not bit`, of type `bool`."""
        if isinstance(bit, Constant):
            return Constant(BOOL, not bit.value)
        if isinstance(owner := bit.ssa.owner, arith.CmpiOp):
            predicate = NEGATED[owner.predicate.value.data]
            return self.e.number(BOOL, arith.CmpiOp(owner.lhs, owner.rhs, predicate))
        return self.e.number(BOOL, arith.XOrIOp(bit.ssa, self.e.constants.bit(True)))

    def _logic(
        self, node: ast.BoolOp, operand: Callable[[ast.expr], Scalars]
    ) -> Scalars:
        first, *others = node.values
        result = operand(first)
        for each in others:
            result = self._then(
                result, lambda each=each: operand(each), isinstance(node.op, ast.And)
            )
        return result

    def _comparison(
        self, left: Value, rest: Sequence[tuple[ast.cmpop, ast.expr]]
    ) -> Scalars:
        """`a < b < c`: `b` is computed once, and `c` only if `a < b`."""
        (op, right), *others = rest
        middle = self.value(right)
        first = compare(self.e, op, left, middle)
        if not others:
            return first
        return self._then(first, lambda: self._comparison(middle, others), True)

    def _then(
        self, first: Scalars, more: Callable[[], Scalars], is_and: bool
    ) -> Scalars:
        """`first and more()`, or with `or`; `more` is computed only if it matters."""
        if isinstance(first, Constant):
            return more() if bool(first.value) == is_and else first
        block, second = self._apart(more)
        if self._is_free(block):
            self._take(block)
            made = arith.AndIOp if is_and else arith.OrIOp
            return self.e.number(BOOL, made(first.ssa, self.e.ssa(second)))
        other = Block()
        with self.e.into(block):
            self.e.append(scf.YieldOp(self.e.ssa(second)))
        with self.e.into(other):
            self.e.append(scf.YieldOp(self.e.constants.bit(not is_and)))
        regions = ([block], [other]) if is_and else ([other], [block])
        return self.e.number(BOOL, scf.IfOp(first.ssa, [BOOL.ir], *regions))

    def _apart(self, compute: Callable[[], _V]) -> tuple[Block, _V]:
        """What is computed, and the block with the operations that do it."""
        block = Block()
        self._may_not_run += 1
        with self.e.into(block):
            value = compute()
        self._may_not_run -= 1
        return block, value

    def _is_free(self, block: Block) -> bool:
        """Whether the operations may run in vain: without effects, faults and great cost."""
        return all(_is_free(op) for op in block.ops)

    def _take(self, block: Block) -> None:
        assert self.e.block is not None, "the operands stand before"
        for op in tuple(block.ops):
            op.detach()
            self.e.block.add_op(op)

    def _choice(self, node: ast.IfExp) -> Value:
        """`a if c else b`: the other one is not computed."""
        condition = self.condition(node.test)
        if isinstance(condition, Constant):
            return self.value(node.body if condition.value else node.orelse)
        then, a = self._apart(lambda: self.value(node.body))
        other, b = self._apart(lambda: self.value(node.orelse))
        one, two = (self.e.scalar(each, "on both sides of if") for each in (a, b))
        if self._is_free(then) and self._is_free(other):
            self._take(then)
            self._take(other)
            return select(self.e, condition, one, two)
        type_ = promoted(self.e, "both sides of if", one, two)
        for block, number in ((then, one), (other, two)):
            with self.e.into(block):
                self.e.append(scf.YieldOp(self.e.ssa(self.e.convert(number, type_))))
        return self.e.number(
            type_, scf.IfOp(condition.ssa, [type_.ir], [then], [other])
        )

    # --- attributes, elements and calls -----------------------------------------------

    def _attribute(self, value: Value, name: str) -> Value:
        if isinstance(value, Memory):
            return attribute(self.e, value, name)
        if not isinstance(value, Host):
            advice = "; np.float32(x) and its like convert" if name == "astype" else ""
            self.e.fail(
                f"expected no attribute of {described(value.type)}, got {name}{advice}"
            )
        try:
            return self.e.known(getattr(value.value, name))
        except AttributeError:
            self.e.fail(
                f"expected an attribute of {described(value.type)}, got {name}, which it "
                "does not have"
            )

    def _element(self, value: Value, index: Value) -> Value:
        if isinstance(value, Memory):
            return subscript(self.e, value, index)
        if not isinstance(value, Items):
            self.e.fail(
                f"expected an array or a tuple before [, got {described(value.type)}; pass "
                "it to the kernel as an argument"
            )
        if not isinstance(index, Constant) or not index.type.is_integer:
            return subscript(self.e, self._table(value), index)
        at: int = index.value
        try:
            return value.values[at]
        except IndexError:
            self.e.fail(
                f"expected an index below {len(value.values)} for this tuple, got {at}"
            )

    def _table(self, items: Items) -> Memory:
        """A tuple of known numbers as an array, for an index that is known at run time."""
        type_: Type | None = items.values[0].type if items.values else None
        for each in items.values:
            type_ = type_ and join(type_, each.type)
        numbers = [v for v in items.values if isinstance(v, Constant)]
        if not isinstance(type_, Scalar) or len(numbers) < len(items.values):
            self.e.fail(
                "expected a constant as index of a tuple whose values are not known "
                "numbers of one type, got one that is known at run time only; "
                "private(shape, dtype) makes an array"
            )
        known = [self.e.convert(number, type_) for number in numbers]
        values = [each.value for each in known if isinstance(each, Constant)]
        return self.e.table(type_, (len(values),), values)

    def _call(self, node: ast.Call) -> Value:
        callee = self.value(node.func)
        if not isinstance(callee, Host) or not callable(callee.value):
            self.e.fail(f"expected a function before (, got {described(callee.type)}")
        if callee.value is print:
            return write_print(self.e, node, self.value)
        arguments = [self.value(each) for each in node.args]
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                self.e.fail("expected arguments with names, got **; write them out")
            named[keyword.arg] = self.value(keyword.value)
        return self._called(cast(object, callee.value), arguments, named)

    def _called(
        self, function: object, arguments: list[Value], named: Mapping[str, Value]
    ) -> Value:
        if isinstance(function, partial):  # a method of an array
            arguments.insert(0, function.args[0])
            function = function.func
        function = function_of_array(self.e, function, arguments) or function
        if isinstance(function, Function):
            return self._inline(function, arguments, named)
        handler = self._handler(function)
        try:
            _signature(handler).bind(self.e, *arguments, **named)
        except TypeError as error:
            name = getattr(function, "__name__", str(function))
            self.e.fail(f"expected other arguments of {name}: {error}")
        return handler(self.e, *arguments, **named)

    def _handler(self, function: object) -> Callable[..., Value]:
        name = getattr(function, "__qualname__", getattr(function, "__name__", "it"))
        try:
            if (found := HANDLERS.get(function)) is not None:
                return found
            instead = _NO_CALLS.get(function)
        except TypeError:  # What is not hashable is no function of a module.
            instead = None
        owner = getattr(function, "__self__", None)
        if "random" in type(owner).__module__:
            instead = (
                f"{name}; compute random numbers, as in s = s * 1664525 + 1013904223"
            )
        if isinstance(owner, str):
            instead = f"{name}; print takes numbers and f-strings, as in f'{{x:.3f}}'"
        if instead is not None:
            self._unsupported(instead)
        if (type_ := scalar_of(function)) is not None:
            return cast_to(type_)
        if isinstance(function, FunctionType) and not is_of_numpy(function):
            self.e.fail(
                f"expected a function that kernels can call, got {name}; mark it "
                "@spmd.function"
            )
        if (module := getattr(function, "__module__", None) or "").startswith("numpy"):
            name = (
                f"{module.partition('.')[0]}.{name}, which is for arrays; write a loop"
            )
        self.e.fail(
            "expected a function of spmd.language, of numbers, or one marked "
            f"@spmd.function, got {name}"
        )


def _is_free(op: Operation) -> bool:
    return (
        not may_trap(op)
        and not op.regions
        and Cost.of(op) is None
        and (FunctionOfOperands.of(op) is not None or op.has_trait(Pure))
    )
