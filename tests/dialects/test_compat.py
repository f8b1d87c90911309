"""The repairs of xDSL: vectors work as upstream, scalars exactly as before."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, llvm, scf, vector
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    UnitAttr,
    VectorType,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.exceptions import VerifyException

from spmd.dialects import compat
from spmd.dialects.compat.common import walking
from spmd.dialects.enclosing import terminator

compat.ensure()

from spmd.dialects.compat.memory import GatherOp, ScatterOp, StepOp  # noqa: E402

index = IndexType()


def values(*types: Attribute) -> tuple[SSAValue, ...]:
    return tuple(Block(arg_types=types).args)


def parse(text: str) -> builtin.ModuleOp:
    ctx = Context()
    for dialect in (
        arith.Arith,
        builtin.Builtin,
        func.Func,
        scf.Scf,
        Test,
        vector.Vector,
    ):
        ctx.load_dialect(dialect)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def print_op(op: Operation) -> str:
    text = StringIO()
    Printer(text).print_op(op)
    return text.getvalue()


@pytest.mark.parametrize(
    "type_",
    [
        VectorType(i32, [4]),
        VectorType(index, [2, 4]),
        VectorType(i8, [4], builtin.ArrayAttr([builtin.IntegerAttr(1, 1)])),
        TensorType(i64, [builtin.DYNAMIC_INDEX]),
    ],
)
def test_cmpi_gives_one_bit_per_element(type_: VectorType[IntegerType]):
    (x,) = values(type_)
    op = arith.CmpiOp(x, x, "slt")
    op.verify()
    assert str(op.result.type) == str(type_).replace(str(type_.element_type), "i1")


def test_cmpf_gives_one_bit_per_element_and_keeps_its_flags():
    (x,) = values(VectorType(f16, [8]))
    op = arith.CmpfOp(x, x, "olt", arith.FastMathFlagsAttr("fast"))
    op.verify()
    assert op.result.type == VectorType(i1, [8])
    assert op.fastmath == arith.FastMathFlagsAttr("fast")


@pytest.mark.parametrize("compare", [arith.CmpiOp, arith.CmpfOp])
@pytest.mark.parametrize(
    "result", [i1, VectorType(i1, [8]), VectorType(i32, [4]), TensorType(i1, [4])]
)
def test_comparison_of_another_shape_is_refused(
    compare: type[IRDLOperation], result: Attribute
):
    (x,) = values(VectorType(f32 if compare is arith.CmpfOp else i32, [4]))
    op = compare.create(
        operands=[x, x],
        result_types=[result],
        properties={
            "predicate": builtin.IntegerAttr(0, 64),
            "fastmath": arith.FastMathFlagsAttr("none"),
        },
    )
    if compare is arith.CmpiOp:
        del op.properties["fastmath"]
    with pytest.raises(VerifyException):
        op.verify()


def test_comparison_of_two_types_is_refused():
    x, y = values(VectorType(i32, [4]), VectorType(i64, [4]))
    op = arith.CmpiOp.create(
        operands=[x, y],
        result_types=[VectorType(i1, [4])],
        properties={"predicate": builtin.IntegerAttr(0, 64)},
    )
    with pytest.raises(VerifyException, match="two operands of one type"):
        op.verify()


def test_select_takes_one_condition_per_element_or_one_for_all():
    mask, x, c = values(VectorType(i1, [4]), VectorType(f32, [4]), i1)
    arith.SelectOp(mask, x, x).verify()
    arith.SelectOp(c, x, x).verify()


@pytest.mark.parametrize("type_", [VectorType(f32, [8]), VectorType(f32, [4, 1]), f32])
def test_select_of_another_shape_is_refused(type_: Attribute):
    mask, x = values(VectorType(i1, [4]), type_)
    with pytest.raises(VerifyException, match="of one shape"):
        arith.SelectOp(mask, x, x).verify()


CASTS: list[tuple[type[IRDLOperation], Attribute, Attribute]] = [
    (arith.ExtSIOp, i32, i64),
    (arith.ExtUIOp, i1, i32),
    (arith.TruncIOp, i64, i8),
    (arith.SIToFPOp, i32, f32),
    (arith.UIToFPOp, i8, f64),
    (arith.FPToSIOp, f32, i32),
    (arith.FPToUIOp, f64, i64),
    (arith.IndexCastOp, index, i32),
    (arith.IndexCastOp, i64, index),
]


def lanes(element: Attribute) -> Attribute:
    return VectorType(element, [4])


def tile(element: Attribute) -> Attribute:
    return VectorType(element, [2, 4])


def tensor(element: Attribute) -> Attribute:
    return TensorType(element, [4])


@pytest.mark.parametrize(("cast", "source", "result"), CASTS)
@pytest.mark.parametrize(
    "shaped",
    [lanes, tile, tensor],
)
def test_cast_works_per_element(
    cast: type[IRDLOperation],
    source: Attribute,
    result: Attribute,
    shaped: Callable[[Attribute], Attribute],
):
    (x,) = values(shaped(source))
    cast.create(operands=[x], result_types=[shaped(result)]).verify()


@pytest.mark.parametrize(("cast", "source", "result"), CASTS)
def test_cast_changes_no_shape_and_no_scalar_to_a_vector(
    cast: type[IRDLOperation], source: Attribute, result: Attribute
):
    x, xs = values(source, VectorType(source, [4]))
    for operand, type_ in (
        (x, VectorType(result, [4])),
        (xs, result),
        (xs, VectorType(result, [8])),
        (xs, VectorType(result, [2, 2])),
        (xs, TensorType(result, [4])),
    ):
        op = cast.create(operands=[operand], result_types=[type_])
        with pytest.raises(VerifyException, match="of one shape"):
            op.verify()


@pytest.mark.parametrize(
    ("cast", "source", "result"),
    [
        (arith.ExtSIOp, i32, i32),
        (arith.ExtUIOp, i32, i8),
        (arith.TruncIOp, i32, i32),
        (arith.TruncIOp, i8, i32),
        (arith.SIToFPOp, f32, f32),
        (arith.FPToUIOp, f32, f32),
        (arith.FPToSIOp, f32, index),
        (arith.IndexCastOp, i32, i64),
        (arith.IndexCastOp, index, index),
    ],
)
def test_cast_of_wrong_elements_is_refused(
    cast: type[IRDLOperation], source: Attribute, result: Attribute
):
    (x,) = values(VectorType(source, [4]))
    op = cast.create(operands=[x], result_types=[VectorType(result, [4])])
    with pytest.raises(VerifyException):
        op.verify()


def test_canonicalize_folds_a_comparison_of_equal_vectors_to_a_vector():
    module = parse("""
        func.func @f(%x: vector<4xi32>) -> (vector<4xi1>, vector<4xi1>) {
          %a = arith.cmpi uge, %x, %x : vector<4xi32>
          %b = arith.cmpi ne, %x, %x : vector<4xi32>
          func.return %a, %b : vector<4xi1>, vector<4xi1>
        }
    """)
    CanonicalizePass().apply(Context(), module)
    module.verify()
    text = print_op(module)
    assert "%a = arith.constant dense<true> : vector<4xi1>" in text
    assert "%b = arith.constant dense<false> : vector<4xi1>" in text
    assert "cmpi" not in text


def test_canonicalize_keeps_a_comparison_of_equal_tensors_of_unknown_size():
    module = parse("""
        func.func @f(%x: tensor<?xi32>) -> tensor<?xi1> {
          %a = arith.cmpi eq, %x, %x : tensor<?xi32>
          func.return %a : tensor<?xi1>
        }
    """)
    CanonicalizePass().apply(Context(), module)
    module.verify()
    assert "arith.cmpi" in print_op(module)


def test_comparison_keeps_discardable_attributes_in_custom_syntax():
    module = parse("""
        func.func @f(%x: f32, %i: i32) {
          %a = arith.cmpf olt, %x, %x fastmath<nnan> {kept} : f32
          %b = arith.cmpi eq, %i, %i {kept = "too"} : i32
          func.return
        }
    """)
    again = parse(print_op(module))
    assert print_op(again) == print_op(module)
    assert '{kept = "too"} : i32' in print_op(again)
    assert "fastmath<nnan> {kept} : f32" in print_op(again)


def test_execute_region_without_results_prints_terminators_and_attributes():
    (c,) = values(i1)
    last = Block([scf.YieldOp()])
    from xdsl.dialects.cf import ConditionalBranchOp

    first = Block([ConditionalBranchOp(c, last, (), last, ())])
    op = scf.ExecuteRegionOp((), Region([first, last]))
    op.attributes["kept"] = UnitAttr()
    text = print_op(op)
    assert "cf.cond_br" in text
    assert "scf.yield" in text
    assert "{kept}" in text


def test_gather_and_scatter_verify():
    memory, at, i, m, v = values(
        MemRefType(f32, [-1, 8]),
        index,
        VectorType(i32, [4]),
        VectorType(i1, [4]),
        VectorType(f32, [4]),
    )
    gather = GatherOp(memory, [at, at], i, m, v)
    gather.properties["alignment"] = IntegerAttr(4, 64)
    gather.verify()
    assert gather.result.type == v.type
    ScatterOp(memory, [at, at], i, m, v).verify()
    StepOp(VectorType(index, [4])).verify()


def test_gather_refuses_what_does_not_fit():
    memory, at, i, m, v = values(
        MemRefType(f32, [-1]),
        index,
        VectorType(index, [4]),
        VectorType(i1, [4]),
        VectorType(f32, [4]),
    )
    wide_i, wide_m, doubles = values(
        VectorType(index, [8]), VectorType(i1, [8]), VectorType(f64, [4])
    )
    odd = GatherOp(memory, [at], i, m, v)
    odd.properties["alignment"] = IntegerAttr(3, 64)
    for op, message in (
        (GatherOp(memory, [at, at], i, m, v), "one offset per dimension"),
        (GatherOp(memory, [at], wide_i, m, v), "expected indices of the shape"),
        (GatherOp(memory, [at], i, wide_m, v), "expected mask of the shape"),
        (GatherOp(memory, [at], i, m, doubles), "elements of type f32"),
        (odd, "power of two"),
        (ScatterOp(memory, [at], i, m, doubles), "elements of type f32"),
        (ScatterOp(memory, [], i, m, v), "one offset per dimension"),
        (StepOp(VectorType(index, [2, 2])), "rank 1"),
    ):
        with pytest.raises(VerifyException, match=message):
            op.verify()


def test_repairs_happen_once():
    before = list(vector.Vector.operations), arith.CmpiOp.verify_, arith.CmpiOp.parse
    compat.ensure(*compat.REPAIRED_DIALECTS)
    compat.ensure(*compat.REPAIRED_DIALECTS)
    assert [op.name for op in vector.Vector.operations] == [op.name for op in before[0]]
    names = [op.name for op in llvm.LLVM.operations]
    assert len(names) == len(set(names))
    assert arith.CmpiOp.verify_ is before[1]
    assert arith.CmpiOp.parse == before[2]


def nested() -> builtin.ModuleOp:
    """Regions without blocks, with several, and operations four deep."""
    return parse("""
    func.func private @declared()
    func.func @f(%p: i1, %n: index) {
      scf.if %p {
        scf.for %i = %n to %n step %n {
          %a = arith.addi %i, %n : index
          scf.if %p {
            %b = arith.addi %i, %n : index
          } else {
            %c = arith.addi %i, %n : index
          }
        }
      }
      "test.op"() ({
      ^one:
        "test.op"() : () -> ()
        "test.op"() ({}, {}) : () -> ()
        "test.termop"() [^two] : () -> ()
      ^two:
        %d = arith.addi %n, %n : index
        "test.termop"() : () -> ()
      }, {
        %e = arith.addi %n, %n : index
        "test.termop"() : () -> ()
      }) : () -> ()
      func.return
    }
    """)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("region_first", [False, True])
def test_operations_are_walked_in_the_order_of_xdsl(
    reverse: bool, region_first: bool, monkeypatch: pytest.MonkeyPatch
):
    order = {"reverse": reverse, "region_first": region_first}
    ops = [*nested().walk()]
    monkeypatch.setattr(Operation, "walk", walking.walk_of_xdsl)
    want = [list(op.walk(**order)) for op in ops]
    walking.repair()
    assert [list(op.walk(**order)) for op in ops] == want
    assert len(want[0]) == len(ops) > 20


def test_operations_may_be_erased_and_added_while_they_are_walked(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(Operation, "walk", walking.walk_of_xdsl)
    want = walk_and_change(nested())
    walking.repair()
    assert walk_and_change(nested()) == want


def walk_and_change(module: builtin.ModuleOp) -> list[str]:
    """The names of the operations, and what is erased, added and detached on the way."""
    names: list[str] = []
    for op in module.walk():
        names.append(op.name)
        if isinstance(op, arith.AddiOp):
            op.detach()
            op.erase()
        elif isinstance(op, scf.ForOp):
            new = arith.ConstantOp.from_int_and_width(1, i8)
            op.body.block.insert_op_before(new, terminator(op.body.block))
        elif isinstance(op, scf.IfOp) and op.parent_op() is not None:
            op.detach_region(op.false_region)
    return names
