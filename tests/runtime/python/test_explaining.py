"""What the compiler says of a kernel in Python has the names and lines of Python."""

# pyright: basic

import re

import numpy as np

import spmd
from spmd.frontends.python.explaining import spoken
from spmd.language import barrier, global_id, local, local_id
from tests.runtime.python.harness import kernel_of


@spmd.kernel(width=4, group_size=16)
def everything(x, y, out):
    i = global_id()
    tile = local(16, np.float32)
    v = x[i] * 2
    tile[local_id()] = v
    barrier()
    total = 0.0
    for j in range(int(y[i])):
        total += tile[j % 16] / v
    while total > 8 and i % 3 < 2:
        total /= 2
    out[i, 0] = total if total != v else min(total, v, 3)
    out[i, 1] = np.sin(x[15 - local_id()])


def test_explanations_have_no_names_of_ir():
    x, y = np.ones(32, np.float32), np.ones(32, np.int32)
    explanation = everything.explain(x, y, np.zeros((32, 2)))
    text = str(explanation)
    assert not re.search(r"%\w|\b(arith|scf|cf|memref|math|spmd)\.\w", text), text
    assert "local_id(0) is varying" in text
    assert "while runs until its last lane is done" in text
    assert "test_explaining.py:16:1" in str(explanation)


@spmd.kernel
def window(x, out, w: np.int64):
    i = global_id()
    for k in range(max(i - w, 0), min(i + w, len(x))):
        out[i] += x[k]


def test_a_window_is_dear_near_an_edge_alone():
    x = np.ones(256, np.float32)
    text = str(window.explain(x, np.zeros_like(x), 3, global_size=256))
    assert "for runs until its last lane is done: near an edge, it depends" in text
    assert re.search(r"gather under a mask: .*, near an\s+edge", text), text
    x, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    window(x, out, 3, global_size=256)
    assert out[7] == x[4:10].sum()
    assert out[1] == x[:4].sum()
    assert out[255] == x[252:].sum()


def test_findings_have_no_names_of_ir():
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    x[0] = global_id()\n")
    report = kernel.check(np.zeros(4), global_size=4)
    assert "[0] of global memory x" in str(report)
    assert "%" not in str(report)


def test_words():
    assert spoken("scf.if yields %a") == "if yields a"
    assert spoken("arith.addi of %ly; cf.cond_br") == "a sum of local_id(1); if"
    assert spoken("the result of spmd.lane_id") == "lane_id()"
    assert spoken("50 % of %x_1, math.exp") == "50 % of x_1, exp()"
