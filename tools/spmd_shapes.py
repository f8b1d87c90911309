"""`spmd-shapes`: see in colours which values and branches differ between work-items."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.universe import Universe
from xdsl.utils.exceptions import ArgSpecParseError

from spmd.analysis.divergence.rendering import render, to_html, to_terminal, why
from spmd.runtime.errors import CompileError, SourceText, compile_errors, why_not_done
from spmd.runtime.parsing import make_context, parse
from spmd.tools.command_line import Options, exit_status, read_source

_EPILOG = """\
examples:
  spmd-shapes kernel.mlir
  spmd-shapes kernel.mlir --html shapes.html
  spmd-shapes kernel.mlir --why sum
  spmd-shapes kernel.mlir --passes 'spmd-to-loops,form-sub-groups{width=8}'
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv`; returns the exit status."""
    return exit_status("spmd-shapes", lambda: _answer(_parser().parse_args(argv)))


def _parser() -> Options:
    parser = Options(
        "spmd-shapes",
        "Show which values and branches differ between work-items.",
        _EPILOG,
    )
    add = parser.add_argument
    add("file", help="a file with MLIR at levels 0 to 3, or - for the standard input")
    add("--passes", metavar="PASSES", default="", help="run these passes before")
    add("--why", metavar="NAME", help="say why a value is varying, and nothing else")
    add("--html", metavar="FILE", type=Path, help="write a page for a browser")
    add(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours: by default on a terminal, unless NO_COLOR is set; else comments",
    )
    return parser


def _module(file: str, passes: str) -> ModuleOp:
    source = read_source(file)
    module = parse(source)
    _run(module, passes, source)
    return module


def _run(module: ModuleOp, passes: str, source: SourceText) -> None:
    known = Universe.get_multiverse().all_passes
    try:
        pipeline = PassPipeline.parse_spec(dict(known), passes) if passes else None
    except (ArgSpecParseError, ValueError) as error:
        raise CompileError(
            "--passes: expected names of passes that xdsl-opt knows, with options in "
            f"braces, got {passes!r}: {' '.join(str(error).split())}"
        ) from None
    if pipeline is not None:
        with compile_errors(source, "running passes"):
            pipeline.apply(make_context(), module)


def _answer(options: argparse.Namespace) -> int:
    module = _module(options.file, options.passes)
    if options.why is not None:
        _print_why(module, options.why)
    else:
        _show(module, options)
    return 0


def _print_why(module: ModuleOp, name: str) -> None:
    chains = why(module, name)
    if not chains:
        raise CompileError(
            f"--why: expected the name of a value in a kernel, work-item loop or "
            f"sub-group, got {name}"
        )
    print("\n\n".join(chains))


def _show(module: ModuleOp, options: argparse.Namespace) -> None:
    pieces = render(module)
    if options.html is not None:
        try:
            options.html.write_text(to_html(pieces, options.file), encoding="utf-8")
        except OSError as error:
            raise CompileError(
                f"--html: expected a file that can be written, got '{options.html}': "
                f"{why_not_done(error)}"
            ) from None
        return
    wanted = {"always": True, "never": False}.get(options.color)
    if wanted is None:
        wanted = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(to_terminal(pieces, colours=wanted), end="")


if __name__ == "__main__":
    sys.exit(main())
