"""Statistics, tables and JSON of the benchmarks, from numbers made up."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.measuring.record import Record
from benchmarks.reporting.plot import draw
from benchmarks.reporting.results import Results, Work, mean
from benchmarks.reporting.table import (
    compile_times,
    in_words,
    on_page,
    report,
    summary,
    times,
)
from benchmarks.systems.system import Missing


def record(case: str, system: str, seconds: float, **more: str) -> Record:
    turns = [[seconds, 2 * seconds, seconds], [seconds, seconds, 3 * seconds]]
    return Record(case, system, 1, turns, cold=0.5, warm=0.1, error=0.0, **more)


RESULTS = Results(
    threads=1,
    limits={
        "fma_f32": (100.0, "GFLOP/s"),
        "fma_f64": (50.0, "GFLOP/s"),
        "stream_triad": (10.0, "GB/s"),
        "stream_copy": (20.0, "GB/s"),
    },
    work={
        "copied": Work(bytes=1e7, flops=0, double=True),
        "cached": Work(bytes=1e8, flops=0, double=False),
        "product": Work(bytes=0, flops=1e8, double=True),
        "sorted": Work(bytes=0, flops=0, double=False),
    },
    records=[
        record("copied", "spmd", 1e-3),
        record("copied", "intel", 2e-3),
        record("copied", "c", 0.5e-3),
        record("cached", "spmd", 1e-3),
        record("cached", "intel", 8e-3),
        record("product", "spmd", 4e-3),
        record("product", "intel", 4e-3, failed="wrong result"),
        record("sorted", "spmd", 1e-3),
        record("sorted", "intel", 1e-3),
        record("sorted", "c", 1e-3, skipped="no C version"),
    ],
)


def test_statistics_of_turns():
    turns = [[3.0, 1.0, 2.0], [5.0, 4.0, 6.0], [2.0, 2.0, 2.0]]
    measured = Record("case", "spmd", 1, turns)
    assert measured.seconds == 2.0  # of the medians 2, 5 and 2
    assert measured.best == 1.0
    assert measured.spread == pytest.approx((4.5 - 2.0) / 2.0)
    assert Record("case", "spmd", 1).seconds is None
    assert replace(measured, failed="crashed").seconds is None


def test_time_of_the_processor_counts_on_one_thread_only():
    for threads, kept in ((1, [1.0]), (2, [5.0])):
        measured = Record("case", "spmd", threads)
        measured.add(wall=[5.0], processor=[1.0])
        assert measured.turns == [kept]


def test_ratios():
    assert RESULTS.ratios("intel") == {"copied": 0.5, "cached": 0.125, "sorted": 1.0}
    assert RESULTS.ratios("c") == {"copied": 2.0}
    best = RESULTS.ratios_to_best(["intel", "c"])
    assert best == {"copied": 2.0, "cached": 0.125, "sorted": 1.0}
    assert mean(RESULTS.ratios("intel")) == pytest.approx(0.0625 ** (1 / 3))


def test_limits():
    assert RESULTS.limit("copied") == (pytest.approx(0.5e-3), "memory")
    assert RESULTS.limit("product") == (pytest.approx(2e-3), "arithmetic")
    assert RESULTS.limit("sorted") is None
    assert Results(threads=1, work=RESULTS.work).limit("copied") is None


TIMES = """\
| benchmark |      spmd |       Intel |             C |             limit |
| --------- | --------: | ----------: | ------------: | ----------------: |
| copied    | 1 ms ±63% | 2 ms (0.50) | 500 us (2.00) |     50% of memory |
| cached    | 1 ms ±63% | 8 ms (0.12) |             - |      in the cache |
| product   | 4 ms ±63% |      failed |             - | 50% of arithmetic |
| sorted    | 1 ms ±63% | 1 ms (1.00) |             - |                 - |
"""

SUMMARY = """\
| spmd /      | geometric mean | slower |       worst |
| ----------- | -------------: | -----: | ----------: |
| Intel       |           0.40 | 0 of 3 | 1.00 sorted |
| C           |           2.00 | 1 of 1 | 2.00 copied |
| best of all |           0.63 | 1 of 3 | 2.00 copied |
"""


def test_tables():
    assert times(RESULTS) == TIMES.strip()
    assert summary(RESULTS) == SUMMARY.strip()
    assert "| spmd         | 500 ms | 100 ms |" in compile_times(RESULTS)


def test_what_was_not_measured_is_said_with_its_reason():
    text = report(RESULTS)
    assert "- intel: wrong result (product)" in text
    assert "- c: no C version (sorted)" in text


def test_tables_on_a_page():
    page = "a\n<!-- bench -->\nold\n<!-- end of bench -->\nb\n"
    filled = "a\n<!-- bench -->\n\nnew\n\n<!-- end of bench -->\nb\n"
    assert on_page(page, "new") == filled
    assert on_page(filled, "new") == filled
    with pytest.raises(ValueError, match="expected a page with <!-- bench -->"):
        on_page("a\nb\n", "new")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2.0, "2 s"), (0.0125, "12.5 ms"), (3.14159e-6, "3.14 us"), (5e-10, "0.5 ns")],
)
def test_durations_in_words(seconds: float, words: str):
    assert in_words(seconds) == words


def test_json_keeps_everything(tmp_path: Path):
    path = tmp_path / "results.json"
    RESULTS.save(path)
    loaded = Results.load(path)
    assert loaded == RESULTS
    assert report(loaded) == report(RESULTS)


def test_picture(tmp_path: Path):
    path = tmp_path / "report.png"
    if find_spec("matplotlib") is None:
        with pytest.raises(Missing, match="pip install"):
            draw(RESULTS, path)
    else:
        draw(RESULTS, path)
        assert path.read_bytes().startswith(b"\x89PNG")
