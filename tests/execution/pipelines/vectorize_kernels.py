"""Kernels that ask for every part of `vectorize`."""

from __future__ import annotations

from tests.execution.masking.divergence_kernels import DIVERGENCE
from tests.execution.masking.exit_kernels import EXITS
from tests.execution.masking.uniform_kernels import UNIFORM
from tests.execution.pipelines.access_kernels import ACCESSES
from tests.execution.pipelines.vectorize_case import Case

CASES: dict[str, Case] = {**DIVERGENCE, **EXITS, **UNIFORM, **ACCESSES}
