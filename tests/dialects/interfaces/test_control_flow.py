"""What operations say of their control flow, and how what they forward is replaced."""

from typing import TypeVar

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.control_flow import (
    Phi,
    all_phis,
    decisions,
    forwarded,
    phi_of,
    phis,
    set_forwarded,
)
from spmd.dialects.spmd import MaskedOp
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse

SWITCH = """
func.func @f(%flag: i32, %x: i32, %y: i32) {
  cf.switch %flag : i32, [
    default: ^a(%x, %y : i32, i32),
    1: ^b(%y : i32),
    2: ^a(%y, %x : i32, i32),
    3: ^c
  ]
^a(%p: i32, %q: i32):
  func.return
^b(%r: i32):
  func.return
^c:
  func.return
}
"""

MASKED = """
func.func @f(%base: index, %old: f32, %m: i1) {
  spmd.sub_group (%i) shape [4] at (%base) {
    %r = spmd.masked %m -> (f32) {
      %new = arith.negf %old : f32
      spmd.yield %new : f32
    } else %old : f32
    spmd.masked %m {
    }
  }
  func.return
}
"""

LOOP = """
func.func @f(%n: index, %first: f32, %m: i1) {
  %r = scf.while (%a = %first) : (f32) -> f32 {
    scf.condition(%m) %a : f32
  } do {
  ^bb0(%b: f32):
    %c = arith.negf %b : f32
    scf.yield %c : f32
  }
  func.return
}
"""


OpT = TypeVar("OpT", bound=Operation)


def parsed(text: str) -> ModuleOp:
    return parse(SourceText("f.mlir", text))


def names(values: tuple[SSAValue, ...]) -> list[str | None]:
    return [value.name_hint for value in values]


def sources(phi: Phi) -> list[str | None]:
    return names(tuple(source.value for source in phi.sources))


def first(module: ModuleOp, kind: type[OpT]) -> OpT:
    return next(op for op in module.walk() if isinstance(op, kind))


def groups(op: Operation) -> list[list[str | None]]:
    return [[each.value.name_hint for each in group] for group in forwarded(op)]


def test_a_switch_forwards_to_each_successor():
    switch = first(parsed(SWITCH), cf.SwitchOp)
    assert groups(switch) == [["x", "y"], ["y"], ["y", "x"], []]
    assert [each.value.name_hint for each in decisions(switch)] == ["flag"]


def test_what_a_switch_forwards_can_be_set():
    module = parsed(SWITCH)
    switch = first(module, cf.SwitchOp)
    _, x, y = parent_block(switch).args
    a, _, _, c = switch.successors
    a.erase_arg(a.args[0])
    c.insert_arg(x.type, 0)
    c.insert_arg(x.type, 1)
    set_forwarded(switch, [[y], [x], [x], [y, x]])
    module.verify()
    assert groups(switch) == [["y"], ["x"], ["x"], ["y", "x"]]
    assert [
        names(tuple(v)) for v in (switch.default_operands, *switch.case_operand)
    ] == [
        ["y"],
        ["x"],
        ["x"],
        ["y", "x"],
    ]


def test_arguments_of_blocks_are_phis():
    (function,) = parsed(SWITCH).ops
    found = {phi.values[0].name_hint: sources(phi) for phi in all_phis(function)}
    assert found == {"p": ["x", "y"], "q": ["y", "x"], "r": ["y"]}


def test_masked_code_may_be_skipped():
    masked, other = (op for op in parsed(MASKED).walk() if isinstance(op, MaskedOp))
    (phi,) = phis(masked)
    assert names(phi.values) == ["r"]
    assert sources(phi) == ["old", "new"]
    known = phi_of(masked.res[0])
    assert known is not None
    assert (known.values, known.sources) == (phi.values, phi.sources)
    assert list(phis(other)) == []
    assert [each.value.name_hint for each in decisions(masked)] == ["m"]


def test_a_condition_forwards_into_the_loop_and_out_of_it():
    loop = first(parsed(LOOP), scf.WhileOp)
    assert [(names(phi.values), sources(phi)) for phi in phis(loop)] == [
        (["a"], ["first", "c"]),
        (["b", "r"], ["a"]),
    ]
    assert [each.value.name_hint for each in decisions(loop)] == ["m"]
