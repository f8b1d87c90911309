"""Threads build IR at once without meeting in xDSL's implicit builder."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import test
from xdsl.ir import Block

from spmd.dialects.compat import ensure


def test_builders_of_two_threads_overlap():
    ensure()
    first_in, second_in, first_out = (threading.Event() for _ in range(3))

    def first() -> int:
        block = Block()
        with ImplicitBuilder(block):
            first_in.set()
            second_in.wait(10)
            test.TestOp()
        first_out.set()
        return len(block.ops)

    def second() -> int:
        block = Block()
        first_in.wait(10)
        with ImplicitBuilder(block):
            second_in.set()
            first_out.wait(10)
            test.TestOp()
        return len(block.ops)

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(first), pool.submit(second)]
        assert [run.result() for run in runs] == [1, 1]
    # And nothing is left of them.
    with ImplicitBuilder(block := Block()):
        test.TestOp()
    assert len(block.ops) == 1
    assert test.TestOp().parent is None
