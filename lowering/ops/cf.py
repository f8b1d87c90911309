"""`cf`: branches between the blocks of a region."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.cf import BranchOp, ConditionalBranchOp, SwitchOp
from xdsl.ir import Attribute, Operation

from spmd.lowering.writing.control_flow import CFG_TERMINATORS, Cfg
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import integer_literal


def _branch(writer: FunctionWriter, op: Operation, cfg: Cfg) -> None:
    cfg.branch(op, lambda labels: f"br label %{labels[0]}")


def _conditional_branch(writer: FunctionWriter, op: Operation, cfg: Cfg) -> None:
    condition = writer.get(op.operands[0])
    cfg.branch(
        op, lambda labels: f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}"
    )


def _switch(writer: FunctionWriter, op: Operation, cfg: Cfg) -> None:
    assert isinstance(op, SwitchOp)
    values: Sequence[int] = ()
    if op.case_values is not None:
        values = op.case_values.get_values()
    type_: Attribute = op.flag.type
    text = writer.type_of(op.flag)

    def write(labels: list[str]) -> str:
        cases = " ".join(
            f"{text} {integer_literal(value, type_)}, label %{label}"
            for value, label in zip(values, labels[1:], strict=True)
        )
        return f"switch {writer.typed(op.flag)}, label %{labels[0]} [ {cases} ]"

    cfg.branch(op, write)


CFG_TERMINATORS[BranchOp.name] = _branch
CFG_TERMINATORS[ConditionalBranchOp.name] = _conditional_branch
CFG_TERMINATORS[SwitchOp.name] = _switch
