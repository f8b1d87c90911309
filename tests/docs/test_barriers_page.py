"""The page about barriers shows what becomes of its kernels today."""

import re

import pytest

from spmd.dialects.diagnostics import KernelError
from tests.docs.pages.barriers_page import KERNEL, PAGE, RESULT, filled, split

TEXT = PAGE.read_text()
KERNELS = [match[1] for match in KERNEL.finditer(TEXT)]


def test_the_ir_is_that_of_today():
    assert filled(TEXT) == TEXT, "expected the IR of today: run make docs"


def test_filling_replaces_what_was_there():
    stale = RESULT.sub(r"<!-- \1\2 -->\n", TEXT)
    assert stale != TEXT
    assert filled(stale) == TEXT


@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_fission_is_shown_exactly_where_it_is_right(number: int):
    """A kernel without a section on fission cannot be split by it."""
    following = TEXT.split(KERNELS[number], 1)[1]
    own = re.split(r"^```mlir\nspmd\.kernel", following, maxsplit=1, flags=re.M)[0]
    if "<!-- fission" in own:
        split(KERNELS[number], "fission")
    else:
        with pytest.raises(KernelError):
            split(KERNELS[number], "fission")
