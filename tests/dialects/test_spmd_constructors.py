"""
Every op of the dialect can be built from Python, as a frontend does it: what is built
verifies, prints as the language writes it, and means the same when it is read back.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    Builtin,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    UnitAttr,
    bf16,
    f32,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.spmd import (
    LOCAL,
    SPMD,
    AllOp,
    AnyOp,
    AtomicCasOp,
    AtomicKind,
    AtomicRmwOp,
    AtomicScope,
    BallotOp,
    BarrierOp,
    BroadcastOp,
    ClockOp,
    Dimension,
    ElectOp,
    EnqueuedLocalSizeOp,
    Extent,
    FailOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    KernelOp,
    Kind,
    LaneIdOp,
    LaunchOp,
    LocalAllocOp,
    LocalArgument,
    LocalIdOp,
    LocalSizeOp,
    MaskedOp,
    NumGroupsOp,
    NumSubGroupsOp,
    Ordering,
    PollOp,
    PrefetchOp,
    PrintOp,
    ReduceOp,
    ReturnOp,
    ScanMode,
    ScanOp,
    Scope,
    ShuffleMode,
    ShuffleOp,
    SubGroupIdOp,
    SubGroupOp,
    SubGroupSizeOp,
    YieldOp,
    combine,
    neutral_element,
    why_not_kind,
)

INDEX = IndexType()
ROW = MemRefType(i32, [DYNAMIC_INDEX])
TILE = MemRefType(f32, [DYNAMIC_INDEX, 4], memory_space=LOCAL)
ARGUMENTS = (INDEX, i1, i32, f32, ROW)

Values = tuple[SSAValue, ...]


def in_kernel(make: Callable[[Values], Operation]) -> tuple[ModuleOp, Operation]:
    """A module with a kernel that does nothing but one op on its arguments."""
    kernel = KernelOp("k", ARGUMENTS)
    block = kernel.body.block
    for name, argument in zip("nbifm", block.args, strict=True):
        argument.name_hint = name
    op = make(tuple(block.args))
    block.add_ops((op, ReturnOp()))
    return ModuleOp([kernel]), op


def read_back(module: ModuleOp) -> ModuleOp:
    """The module after printing and parsing."""
    context = Context()
    for dialect in (Builtin, SPMD, arith.Arith, func.Func):
        context.load_dialect(dialect)
    return Parser(context, str(module)).parse_module()


BUILT: list[tuple[Callable[[Values], Operation], str]] = [
    (lambda v: GlobalIdOp("x"), "spmd.global_id x"),
    (lambda v: LocalIdOp(Dimension.Y), "spmd.local_id y"),
    (lambda v: GroupIdOp("z"), "spmd.group_id z"),
    (lambda v: GlobalSizeOp("x"), "spmd.global_size x"),
    (lambda v: LocalSizeOp("x"), "spmd.local_size x"),
    (lambda v: EnqueuedLocalSizeOp("x"), "spmd.enqueued_local_size x"),
    (lambda v: NumGroupsOp("x"), "spmd.num_groups x"),
    (lambda v: LaneIdOp(), "spmd.lane_id"),
    (lambda v: SubGroupIdOp(), "spmd.sub_group_id"),
    (lambda v: SubGroupSizeOp(), "spmd.sub_group_size"),
    (lambda v: NumSubGroupsOp(), "spmd.num_sub_groups"),
    (
        lambda v: PrefetchOp(v[4], [v[0]], write=True, streaming=True),
        "spmd.prefetch write streaming %m[%n] : memref<?xi32>",
    ),
    (lambda v: ClockOp(), "spmd.clock"),
    (lambda v: BarrierOp(), "spmd.barrier"),
    (lambda v: BarrierOp(Scope.SUB_GROUP), "spmd.barrier sub_group"),
    (lambda v: BarrierOp("sub_group"), "spmd.barrier sub_group"),
    (lambda v: PollOp(), "spmd.poll"),
    (lambda v: FailOp("no {{numbers}}"), 'spmd.fail "no {{numbers}}"'),
    (
        lambda v: FailOp("{} {a|b}", [v[2], v[1]]),
        'spmd.fail "{} {a|b}"(%i, %b) : i32, i1',
    ),
    (
        lambda v: PrintOp("{:.2f}", [v[3]]),
        'spmd.print "{:.2f}"(%f) : f32',
    ),
    (
        lambda v: LocalAllocOp(MemRefType(i8, [16], memory_space=LOCAL)),
        "spmd.local_alloc : memref<16xi8, #spmd.memory<local>>",
    ),
    (lambda v: AnyOp(v[1]), "spmd.any %b across sub_group"),
    (lambda v: AllOp(v[1], "work_group"), "spmd.all %b across work_group"),
    (lambda v: BallotOp(v[1]), "spmd.ballot %b : i64"),
    (lambda v: ElectOp(), "spmd.elect"),
    (
        lambda v: ReduceOp("add", v[3], "work_group"),
        "spmd.reduce add %f across work_group : f32",
    ),
    (
        lambda v: ReduceOp(Kind.AND, v[1], Scope.SUB_GROUP),
        "spmd.reduce and %b across sub_group : i1",
    ),
    (
        lambda v: ScanOp("inclusive", "max", v[2], "work_group"),
        "spmd.scan inclusive max %i across work_group : i32",
    ),
    (
        lambda v: ScanOp(ScanMode.EXCLUSIVE, Kind.MUL, v[3], Scope.SUB_GROUP),
        "spmd.scan exclusive mul %f across sub_group : f32",
    ),
    (
        lambda v: BroadcastOp(v[3], v[0], "work_group"),
        "spmd.broadcast %f from %n across work_group : f32",
    ),
    (lambda v: ShuffleOp("xor", v[2], v[0]), "spmd.shuffle xor %i, %n : i32"),
    (
        lambda v: ShuffleOp(ShuffleMode.DOWN, v[1], v[0]),
        "spmd.shuffle down %b, %n : i1",
    ),
    (
        lambda v: AtomicRmwOp("add", v[2], v[4], [v[0]]),
        "spmd.atomic_rmw add %i, %m[%n] : memref<?xi32>",
    ),
    (
        lambda v: AtomicRmwOp(
            AtomicKind.EXCHANGE,
            v[2],
            v[4],
            [v[0]],
            Ordering.ACQ_REL,
            AtomicScope.WORK_GROUP,
        ),
        "spmd.atomic_rmw exchange %i, %m[%n] ordering(acq_rel) scope(work_group) : memref<?xi32>",
    ),
    (
        lambda v: AtomicCasOp(v[2], v[2], v[4], [v[0]], "seq_cst", "device"),
        "spmd.atomic_cas %i, %i, %m[%n] ordering(seq_cst) : memref<?xi32>",
    ),
]


@pytest.mark.parametrize(("make", "text"), BUILT, ids=[text for _, text in BUILT])
def test_op_is_built_as_it_is_written(make: Callable[[Values], Operation], text: str):
    module, op = in_kernel(make)
    module.verify()
    assert str(op).partition(" = ")[2] == text or str(op) == text
    assert read_back(module).is_structurally_equivalent(module)


def test_every_op_is_built_here():
    built = {in_kernel(make)[1].name for make, _ in BUILT}
    elsewhere = {op.name for op in (KernelOp, ReturnOp, LaunchOp)}
    lanes = {op.name for op in (SubGroupOp, MaskedOp, YieldOp)}
    assert built | elsewhere | lanes == {op.name for op in SPMD.operations}


def test_operations_stand_for_their_result():
    _, op = in_kernel(lambda v: ReduceOp("add", GlobalIdOp("x"), "work_group"))
    assert isinstance(op.operands[0].owner, GlobalIdOp)
    assert op.result_types == (INDEX,)


def test_kernel():
    kernel = KernelOp(
        "k",
        [ROW, INDEX],
        work_group_size=(16, 4),
        sub_group_size=8,
        arg_attrs=ArrayAttr(
            [DictionaryAttr({"spmd.noalias": UnitAttr()}), DictionaryAttr({})]
        ),
    )
    kernel.body.block.add_op(ReturnOp())
    kernel.verify()
    assert kernel.group_size == (16, 4, 1)
    assert not kernel.has_full_groups
    module = ModuleOp([kernel])
    assert read_back(module).is_structurally_equivalent(module)
    assert "{spmd.noalias}" in str(module)


def test_kernel_of_any_size():
    kernel = KernelOp("k", [])
    assert kernel.group_size is None
    assert kernel.work_group_size is None
    with pytest.raises(VerifyException, match="empty block"):
        kernel.verify()


@pytest.mark.parametrize("size", [(), (0,), (4, -1), (1, 2, 3, 4)])
def test_kernel_of_impossible_size(size: tuple[int, ...]):
    kernel = KernelOp("k", [], work_group_size=size)
    kernel.body.block.add_op(ReturnOp())
    with pytest.raises(VerifyException, match="positive sizes, got array<i64"):
        kernel.verify()


def test_sub_group_with_masks():
    host = func.FuncOp("f", ([INDEX, INDEX, i1, f32], []))
    base, count, mask, old = host.body.block.args
    sub_group = SubGroupOp([8, 2], [base, base], [count, count])
    assert sub_group.lane_shape == (8, 2)
    assert sub_group.width == 16
    inside = Builder(InsertPoint.at_start(sub_group.body.block))
    with_result = MaskedOp(mask, [f32], [old])
    with_result.body.block.add_op(YieldOp(old))
    inside.insert(with_result)
    inside.insert(MaskedOp(mask))
    host.body.block.add_ops((sub_group, func.ReturnOp()))
    module = ModuleOp([host])
    module.verify()
    assert read_back(module).is_structurally_equivalent(module)
    assert [op.name for op in sub_group.body.block.ops] == [
        "spmd.masked",
        "spmd.masked",
        "spmd.yield",
    ]


def launching(*arguments: Attribute) -> tuple[KernelOp, func.FuncOp]:
    """A kernel with these arguments, and a host function with a size and two values."""
    kernel = KernelOp("k", arguments)
    kernel.body.block.add_op(ReturnOp())
    return kernel, func.FuncOp("host", ([INDEX, f32, ROW], []))


def test_launch():
    kernel, host = launching(f32, TILE, ROW)
    n, value, row = host.body.block.args
    launch = LaunchOp(
        "k",
        [n, n],
        [value, LocalArgument(TILE, [n]), row],
        group_size=[n],
        extent=Extent.GLOBAL,
    )
    host.body.block.add_ops((launch, func.ReturnOp()))
    module = ModuleOp([kernel, host])
    module.verify()
    assert read_back(module).is_structurally_equivalent(module)
    assert list(launch.kernel_arguments()) == [value, LocalArgument(TILE, [n]), row]
    assert list(launch.arguments) == [value, n, row]


def test_launch_of_nothing():
    kernel, host = launching()
    n = host.body.block.args[0]
    launch = LaunchOp("k", [n], group_size=[n])
    launch.verify()  # before it stands anywhere
    host.body.block.add_ops((launch, func.ReturnOp()))
    ModuleOp([kernel, host]).verify()
    assert str(launch) == "spmd.launch @k groups(%0) of(%0) ()"


def neutral(kind: Kind, type_: Attribute) -> float:
    return neutral_element(kind, type_).value.data


def test_neutral_elements_of_integers():
    assert [neutral(kind, i8) for kind in Kind] == [0, 1, 127, -128, -1, 0, -1, 0, 0]
    assert neutral(Kind.MIN, INDEX) == 2**63 - 1
    assert neutral(Kind.MAX, i64) == -(2**63)
    assert neutral(Kind.AND, i1) == -1
    assert str(neutral_element(Kind.AND, i1)) == "true"


def test_neutral_elements_of_floats():
    kinds = (Kind.ADD, Kind.MUL, Kind.MIN, Kind.MAX)
    expected = [0.0, 1.0, float("inf"), float("-inf")]
    assert [neutral(kind, bf16) for kind in kinds] == expected
    assert neutral_element(Kind.ADD, bf16).type == bf16


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("type_", [i1, i8, i64, INDEX, bf16, f32], ids=str)
def test_every_allowed_kind_combines_and_has_a_neutral_element(
    kind: Kind, type_: Attribute
):
    if why_not_kind(kind, type_) is not None:
        return
    constant = arith.ConstantOp(neutral_element(kind, type_))
    combined = combine(kind, constant, constant)
    combined.verify()
    assert combined.result_types == (type_,)


def test_kinds_combine_by_the_op_of_their_name():
    def name(kind: Kind, type_: Attribute) -> str:
        constant = arith.ConstantOp(neutral_element(kind, type_))
        return combine(kind, constant, constant).name

    assert name(Kind.ADD, i32) == "arith.addi"
    assert name(Kind.MIN, i32) == "arith.minsi"
    assert name(Kind.MAXUI, i32) == "arith.maxui"
    assert name(Kind.XOR, i1) == "arith.xori"
    assert name(Kind.MIN, f32) == "arith.minimumf"
    assert name(Kind.MAX, f32) == "arith.maximumf"


def test_a_value_is_no_kind():
    value = arith.ConstantOp.from_int_and_width(1, 32)
    with pytest.raises(ValueError, match=r"expected a kind of add, mul, .*, got"):
        ReduceOp(value, "add", "work_group")  # pyright: ignore[reportArgumentType]
