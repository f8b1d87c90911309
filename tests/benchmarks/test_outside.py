"""Kernels from outside compute what NumPy does, and the table of choices is about them too."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.choices.__main__ import main, row, short_of_scalar, short_of_widths
from benchmarks.choices.prices import main as prices
from benchmarks.choices.work import all_work
from benchmarks.outside.case import makers
from spmd.passes.targets import SCATTER, STORE


@pytest.mark.parametrize("name", makers())
def test_result(name: str):
    case = makers()[name](16)
    arguments = case.arguments
    case.kernel(*arguments, global_size=case.global_size, threads=1)
    got, near = arguments[case.out], case.tolerance
    np.testing.assert_allclose(got, case.want, near, near)


def test_choices_are_about_all_kernels():
    names = [name for name, _ in all_work()]
    assert len(names) == len(set(names))
    assert {f"outside/{name}" for name in makers()} < set(names)
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"suite", "probes", "tutorials", "outside"}
    readme = Path(main.__code__.co_filename).parents[1] / "README.md"
    assert "python -m benchmarks.choices" in readme.read_text()


def test_a_choice_falls_short():
    best = {"chosen": 1.06, "scalar": 1.0, "lanes": 2.0}
    assert short_of_scalar(best)
    assert not short_of_scalar({**best, "scalar": 1.02})
    assert not short_of_widths(best)
    assert short_of_widths({**best, "8": 0.9})
    assert row("k", best, True).split() == [
        "k",
        "1060000.0",
        "us",
        "0.94",
        "1.89",
        "short",
    ]


@pytest.mark.parametrize("more", [[], ["--widths", "--target", "x86-64-v3"]])
def test_the_table(more: list[str], capsys: pytest.CaptureFixture[str]):
    status = main(["probes/st2", "tutorials/array_sum", *more, "--budget", "0"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == [
        "probes/st2",
        "tutorials/array_sum",
    ]
    assert len(lines[1].split()) >= 3 + (7 if more else 2)
    assert status == ("short" in lines[-3] + lines[-2])


def test_prices_are_measured_beside_those_used(capsys: pytest.CaptureFixture[str]):
    prices(["load*", "scatter", "--target", "x86-64-v3"])
    _, _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row[:20].strip() for row in rows] == [
        "load",
        *(f"load of stride {step}" for step in (2, 4, 8)),
        "scatter",
    ]
    assert [float(number) for number in rows[-1].split()[2::2]] == [STORE, SCATTER]
