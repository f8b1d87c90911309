"""The kernels of tutorials give what NumPy gives."""

import pytest

from benchmarks.tutorials.__main__ import Case, cases, check, ours, with_numba


@pytest.mark.parametrize(("name", "case"), cases(16).items())
def test_result(name: str, case: Case):
    check(name, case, ours(name, case))


def test_plain_loops():
    case = cases(16)["life"]
    run = with_numba("life", case)
    if run is None:
        pytest.skip("needs Numba")
    check("life", case, run)
