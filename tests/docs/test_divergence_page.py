"""The chapter on divergence says what the analysis finds out today."""

import re

import pytest

from tests.analysis.divergence.test_fixtures import Fixture
from tests.analysis.divergence.test_fixtures import test_fixture as check
from tests.docs.pages.divergence_page import PAGE, TABLE, filled

TEXT = PAGE.read_text()
KERNELS = [
    Fixture(match[2], match[1])
    for match in re.finditer(r"^```mlir\n(.*?@(\w+).*?)^```$", TEXT, re.M | re.S)
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_comments_are_true(kernel: Fixture):
    check(kernel)


def test_the_table_is_that_of_today():
    assert filled(TEXT) == TEXT, "expected the table of today: run make docs"


def test_filling_replaces_what_was_there():
    stale = TABLE.sub(r"\1", TEXT)
    assert stale != TEXT
    assert filled(stale) == TEXT
