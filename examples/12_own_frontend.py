"""A frontend of a hundred lines: formulas over arrays, with a dialect and an op of its own."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray
from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatAttr,
    MemRefType,
    ModuleOp,
    VectorType,
    f32,
)
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.rewriter import InsertPoint
from xdsl.traits import Pure

from spmd.dialects.spmd import GlobalIdOp, KernelOp, ReturnOp
from spmd.interfaces import Elementwise, Emission, Meaning, computed

Floats = NDArray[np.float32]
F32 = base(type(f32)) | base(VectorType)


def write_mix(writer: Any, op: Any) -> None:
    """a + (b - a) * t"""
    type_ = writer.type_of(op.a)
    a, b, t = map(writer.get, (op.a, op.b, op.t))
    way = writer.temp(f"fsub {type_} {b}, {a}")
    part = writer.temp(f"fmul {type_} {way}, {t}")
    writer.define(op.mixed, f"fadd {type_} {a}, {part}")


def mix(a: float, b: float, t: float) -> float:
    return float(
        np.float32(a) + np.float32(np.float32(b) - np.float32(a)) * np.float32(t)
    )


@irdl_op_definition
class MixOp(IRDLOperation):
    """A number on the way from one to another; of vectors, element by element."""

    name = "formula.mix"
    a, b, t = operand_def(F32), operand_def(F32), operand_def(F32)
    mixed = result_def(F32)
    assembly_format = "$a `,` $b `,` $t attr-dict `:` type($a) `,` type($b) `,` type($t) `->` type($mixed)"
    traits = traits_def(
        Pure(), Elementwise(), Emission(write_mix), Meaning(computed(mix))
    )

    def __init__(self, a: SSAValue, b: SSAValue, t: SSAValue):
        super().__init__(operands=[a, b, t], result_types=[a.type])


FORMULA = Dialect("formula", [MixOp])

Make = Callable[..., Operation]
OPERATORS: dict[type[ast.AST], Make] = {
    ast.Add: arith.AddfOp,
    ast.Sub: arith.SubfOp,
    ast.Mult: arith.MulfOp,
    ast.Div: arith.DivfOp,
}
FUNCTIONS: dict[str, Make] = {
    "mix": MixOp,
    "min": arith.MinimumfOp,
    "max": arith.MaximumfOp,
}


def formula(text: str, arrays: Sequence[str], numbers: Sequence[str] = ()) -> ModuleOp:
    """A kernel that computes `out[i]` of the elements of arrays, and of numbers."""
    array = MemRefType(f32, [DYNAMIC_INDEX])
    names = (*arrays, *numbers, "out")
    types = [f32 if name in numbers else array for name in names]
    kernel = KernelOp("formula", types)
    block = kernel.body.block
    builder = Builder(InsertPoint.at_end(block))
    i = builder.insert(GlobalIdOp("x")).result
    known: dict[str, SSAValue] = {}
    for name, argument in zip(names, block.args, strict=True):
        argument.name_hint = name
        load = name in arrays
        known[name] = (
            builder.insert(memref.LoadOp.get(argument, [i])).res if load else argument
        )

    def value(node: ast.expr) -> SSAValue:
        match node:
            case ast.Name(id=name) if name in known and name != "out":
                return known[name]
            case ast.Constant(value=int() | float() as number):
                return builder.insert(arith.ConstantOp(FloatAttr(number, f32))).result
            case ast.BinOp(left=left, op=operator, right=right):
                make, operands = OPERATORS[type(operator)], [left, right]
            case ast.Call(func=ast.Name(id=name), args=operands):
                make = FUNCTIONS[name]
            case _:
                raise SyntaxError(f"expected a formula, got {ast.unparse(node)}")
        return builder.insert(make(*map(value, operands))).results[0]

    result = value(ast.parse(text, mode="eval").body)
    builder.insert(memref.StoreOp.get(result, known["out"], [i]))
    builder.insert(ReturnOp())
    return ModuleOp([kernel])


def tone() -> ModuleOp:
    """Darker shadows and brighter lights: a cubic curve, mixed with what there was."""
    curve = "max(0, min(1, x * x * (3 - 2 * x)))"
    return formula(f"mix(x, {curve}, mask * strength)", ["x", "mask"], ["strength"])


def launch(n: int = 1 << 22) -> Launch:
    rng = np.random.default_rng(12)
    x, mask = rng.random((2, n), np.float32)
    arguments = x, mask, 0.75, np.zeros_like(x)
    return Launch(arguments, outputs=(3,), global_size=n)


def with_numpy(x: Floats, mask: Floats, strength: float, out: Floats) -> None:
    for at in blocks(x.size, 8192):
        curve = x[at] * x[at] * (np.float32(3) - np.float32(2) * x[at])
        curve = np.clip(curve, 0, 1)
        out[at] = x[at] + (curve - x[at]) * (mask[at] * np.float32(strength))


EXAMPLE = Example(
    __file__,
    "formula",
    launch,
    with_numpy,
    [(1,), (512,), (1000,)],
    module=tone,
)

if __name__ == "__main__":
    EXAMPLE.main()
