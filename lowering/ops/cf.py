"""`cf`: branches between the blocks of a region."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.cf import BranchOp, ConditionalBranchOp, SwitchOp
from xdsl.ir import Attribute

from spmd.lowering.writing.control_flow import BRANCHES
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import integer_literal


def _branch(writer: FunctionWriter, op: BranchOp, labels: Sequence[str]) -> str:
    return f"br label %{labels[0]}"


def _conditional_branch(
    writer: FunctionWriter, op: ConditionalBranchOp, labels: Sequence[str]
) -> str:
    then, otherwise = labels
    return f"br i1 {writer.get(op.cond)}, label %{then}, label %{otherwise}"


def _switch(writer: FunctionWriter, op: SwitchOp, labels: Sequence[str]) -> str:
    values: Sequence[int] = ()
    if op.case_values is not None:
        values = op.case_values.get_values()
    type_: Attribute = op.flag.type
    text = writer.type_of(op.flag)
    cases = " ".join(
        f"{text} {integer_literal(value, type_)}, label %{label}"
        for value, label in zip(values, labels[1:], strict=True)
    )
    return f"switch {writer.typed(op.flag)}, label %{labels[0]} [ {cases} ]"


BRANCHES[BranchOp.name] = _branch
BRANCHES[ConditionalBranchOp.name] = _conditional_branch
BRANCHES[SwitchOp.name] = _switch
