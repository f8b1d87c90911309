"""What holds for all tests."""

import os
import zlib
from collections.abc import Generator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from spmd.lowering.compiling import compile_object
from spmd.runtime.compiling import native_code

TESTS = Path(__file__).parent
OF_RESULTS = (TESTS / "examples", TESTS / "execution", TESTS / "runtime" / "python")
"""Where kernels are compiled to see what they compute."""

# What is tested here is compiled here; the tests of the cache have folders of their own.
os.environ["SPMD_CACHE_DIR"] = ""

# How long an example takes depends on the machine and on what else runs there; the time
# limit of the whole test is in pyproject.toml. The same examples are tried every time.
settings.register_profile("spmd", deadline=None, derandomize=True)
settings.load_profile("spmd")


@pytest.fixture(autouse=True, scope="session")
def threads_help_with_everything() -> Generator[None]:
    """What is launched on several threads runs there, however little it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spmd.runtime.launching.launch._HELPER_NS", 1)
        yield


@pytest.fixture(autouse=True)
def results_without_llvm_passes(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LLVM's own passes take half the time of a kernel, and are not what is tested here."""
    optimized = request.node.get_closest_marker("optimized") is not None
    if not optimized and any(map(request.path.is_relative_to, OF_RESULTS)):
        monkeypatch.setattr(
            native_code, "compile_object", partial(compile_object, opt=0)
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sample",
        type=int,
        default=1,
        metavar="K",
        help="of the cases of each test the first, and every Kth of the others; 0: none",
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leaves the same cases out every time."""
    every: int = config.option.sample
    if every == 1:
        return
    met: set[str] = set()
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        name, _, case = item.nodeid.partition("[")
        chosen = name not in met or (every and zlib.crc32(case.encode()) % every == 0)
        (kept if chosen else left).append(item)
        met.add(name)
    items[:] = kept
    config.hook.pytest_deselected(items=left)
