"""The FileCheck files as tests of pytest, in the process that runs all others."""
# lit has no types.
# pyright: basic

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import lit.discovery
import lit.LitConfig
import lit.Test
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "filecheck"


@cache
def config_of_lit():
    return lit.LitConfig.LitConfig(
        progname="lit",
        path=[],
        diagnostic_level="error",
        useValgrind=False,
        valgrindLeakCheck=False,
        valgrindArgs=[],
        noExecute=False,
        debug=False,
        isWindows=False,
        order="lexical",
        params={"forked": "only"},
    )


@cache
def files():
    tests = lit.discovery.find_tests_for_inputs(config_of_lit(), [str(FOLDER)])
    return {Path(test.getSourcePath()): test for test in tests}


class FileCheckItem(pytest.Item):
    """All `RUN:` lines of a file."""

    def runtest(self) -> None:
        test = files()[self.path]
        result = test.config.test_format.execute(test, config_of_lit())
        assert result.code is lit.Test.PASS


class FileCheckFile(pytest.File):
    """As pytest finds it."""

    def collect(self) -> Iterator[pytest.Item]:
        yield FileCheckItem.from_parent(self, name="RUN")


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.File | None:
    if file_path in files():
        return FileCheckFile.from_parent(parent, path=file_path)
    return None
