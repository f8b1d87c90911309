"""`cf`: branches between the blocks of a region."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.cf import BranchOp, ConditionalBranchOp, SwitchOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.lowering.writing.control_flow import CFG_TERMINATORS, Cfg
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import integer_literal


def _branch(writer: FunctionWriter, op: Operation, cfg: Cfg) -> None:
    assert isinstance(op, BranchOp)
    writer.jump(cfg.edge(op.successor, op.arguments))


def _conditional_branch(writer: FunctionWriter, op: Operation, cfg: Cfg) -> None:
    assert isinstance(op, ConditionalBranchOp)
    labels, detours = cfg.edges_of(
        [(op.then_block, op.then_arguments), (op.else_block, op.else_arguments)]
    )
    condition = writer.get(op.cond)
    writer.emit(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
    cfg.write_detours(detours)


def _switch(writer: FunctionWriter, op: Operation, cfg: Cfg) -> None:
    assert isinstance(op, SwitchOp)
    targets: list[tuple[Block, Sequence[SSAValue]]] = [
        (op.default_block, op.default_operands)
    ]
    at = 0
    for block, count in zip(
        op.case_blocks, op.case_operand_segments.get_values(), strict=True
    ):
        targets.append((block, op.case_operands[at : at + count]))
        at += count
    labels, detours = cfg.edges_of(targets)
    values = [] if op.case_values is None else list(op.case_values.get_values())
    type_: Attribute = op.flag.type
    text = writer.type_of(op.flag)
    cases = " ".join(
        f"{text} {integer_literal(value, type_)}, label %{label}"
        for value, label in zip(values, labels[1:], strict=True)
    )
    writer.emit(f"switch {writer.typed(op.flag)}, label %{labels[0]} [ {cases} ]")
    cfg.write_detours(detours)


CFG_TERMINATORS[BranchOp.name] = _branch
CFG_TERMINATORS[ConditionalBranchOp.name] = _conditional_branch
CFG_TERMINATORS[SwitchOp.name] = _switch
