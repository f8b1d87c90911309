"""What a CPU cannot do itself is right as well: f16, bf16 and wide vectors on older ones."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from spmd.lowering.llvm_binding import llvm
from spmd.lowering.machine import machine_for
from tests.execution.lowering.elementwise import check
from tests.execution.lowering.math import test_math
from tests.execution.lowering.native_functions import (
    DTYPES,
    NativeFunctions,
    parse_module,
)
from tests.execution.lowering.ops import test_conversions, test_floats, test_integers

NEEDS = {"x86-64": "sse2", "x86-64-v2": "sse4.2", "x86-64-v3": "avx2"}
"""Levels of x86-64, and what tells that this host has them."""

FEATURES: dict[str, bool] = llvm.get_host_cpu_features()

CASES = {
    "conversions": [case for t in test_conversions.CASES.values() for case in t],
    "floats": [case for t in test_floats.CASES.values() for case in t],
    "integers": test_integers.CASES["i64"],
    "fma": [
        case
        for t in ("f16", "bf16", "f32", "f64")
        for case in test_math.CASES[t]
        if case.name.startswith(("fma", "round", "exp_", "powf"))
    ],
}
FORMS = (None, 16)


@pytest.mark.slow
@pytest.mark.parametrize("group", CASES)
def test_older_cpus(group: str):
    cases = CASES[group]
    texts = [case.text(width) for case in cases for width in FORMS]
    module = parse_module("builtin.module {" + "".join(texts) + "\n}")
    cpus = [cpu for cpu, needed in NEEDS.items() if FEATURES.get(needed)]
    compiled = [NativeFunctions(module, machine_for(cpu=cpu)) for cpu in cpus]
    if not compiled:
        pytest.skip("this host is no x86-64")
    for case in cases:
        for functions, width in product(compiled, FORMS):
            check(functions, case, width)


TIES = {
    # The product lies halfway between two floats, and the sum just beside it: computed
    # in f32 and rounded again, it would come out on the wrong side.
    "f16": ((6, 683, 2.0**-24, 4100), (6, 683, -(2.0**-24), 4096)),
    "bf16": ((7, 37, 2.0**-30, 260), (7, 37, -(2.0**-30), 258)),
}


@pytest.mark.parametrize("t", TIES)
@pytest.mark.parametrize("cpu", ["x86-64-v3", "host"])
def test_fma_just_beside_a_tie(cpu: str, t: str):
    if cpu in NEEDS and not FEATURES.get(NEEDS[cpu]):
        pytest.skip(f"this host is no {cpu}")
    functions = NativeFunctions(
        f"""
      func.func @f(%x: memref<3x{t}>, %out: memref<1x{t}>) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %a = memref.load %x[%c0] : memref<3x{t}>
        %b = memref.load %x[%c1] : memref<3x{t}>
        %c = memref.load %x[%c2] : memref<3x{t}>
        %r = math.fma %a, %b, %c : {t}
        memref.store %r, %out[%c0] : memref<1x{t}>
        func.return
      }}""",
        machine_for(cpu=cpu),
    )
    for a, b, c, expected in TIES[t]:
        out = np.zeros(1, DTYPES[t])
        functions("f", np.array([a, b, c], DTYPES[t]), out)
        assert out[0] == expected
