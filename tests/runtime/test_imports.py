"""What the first use of the package imports, and what it leaves to those who need it."""

import subprocess
import sys

PLAIN = """
import gc, sys
import numpy as np
import spmd
{before}
program = spmd.compile('''
spmd.kernel @fill(%x: memref<?xf32>) {{
  %one = arith.constant 1.0 : f32
  %i = spmd.global_id x
  memref.store %one, %x[%i] : memref<?xf32>
  spmd.return
}}
''')
x = np.zeros(64, np.float32)
program["fill"](x, global_size=64)
assert x.all()
{after}
"""

RARE = (
    "spmd.dialects.compat.preconditions",
    "spmd.dialects.interfaces.preconditions",
    "spmd.passes.kernels.spmd_insert_checks",
    "spmd.passes.pipelines.sub_groups_to_loops",
    "spmd.passes.splitting.continuations",
    "spmd.passes.structuring.structurize",
    "spmd.reference",
    "spmd.runtime.check",
    "spmd.runtime.explanation.explanation",
    "spmd.runtime.host_function",
)
"""What a kernel without blocks, a launch and a question does without."""


def run(before: str = "", after: str = "") -> str:
    """What a fresh process prints that compiles and launches a plain kernel."""
    script = PLAIN.format(before=before, after=after)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_plain_kernel_imports_nothing_rare():
    imported = run(after="print(*sys.modules, sep='\\n')").splitlines()
    assert "spmd.passes.widening.widen_sub_groups" in imported
    assert not set(RARE) & set(imported)


def test_the_collector_is_left_as_it_was():
    assert run(after="print(gc.isenabled(), gc.get_freeze_count())") == "True 0\n"
    found = run("gc.disable()", "print(gc.isenabled(), gc.get_freeze_count())")
    assert found == "False 0\n"
    found = run("gc.freeze()", "print(gc.isenabled(), gc.get_freeze_count() > 0)")
    assert found == "True True\n"


def test_what_is_imported_is_old_at_once():
    # Or the next look for garbage goes through all of it.
    young = "sum(len(gc.get_objects(generation)) for generation in (0, 1))"
    assert int(run(f"spmd.compile; print({young})")) < 10_000
