"""The page about the pipeline shows every pass, with the IR of today."""

import re

from tests.docs.pages.pipeline_page import PAGE, block, filled, section_names, stages

TEXT = PAGE.read_text()


def test_every_pass_has_a_section_in_order():
    assert section_names(TEXT) == list(stages())


def test_the_ir_is_that_of_today():
    assert filled(TEXT) == TEXT, "expected the IR of today: run make docs"


def test_filling_replaces_what_was_there():
    stale = re.sub(r"```mlir\n.*?^```", "```mlir\nold\n```", TEXT, flags=re.M | re.S)
    assert stale != TEXT
    assert filled(stale) == TEXT


def test_a_block_holds_the_whole_module():
    source = stages()["spmd-to-loops"]
    assert len(block(source).splitlines()) == len(source.strip().splitlines())
