"""The program `shoal`: its commands, and the way in.

A command is a plain function in a file of its own (one file for a family of commands). To add one,
import its function below and add it to `_COMMANDS`, in the order of the help.

All commands keep the same rules:

- The docstring is the help: what it does, then examples after a line that holds only `\\b`, which
  keeps the lines as they are. The options that several commands share are in `shoal.cli.option`.
- What is heavy (polars, numba, rich, all of shoal beyond `errors` and `schema`) is imported inside
  functions: `shoal --help` is quick, and a test checks that.
- A command returns its exit code, or None for 0: `failure.UNMET` if a requirement does not hold. It
  raises every error; `shoal.cli.exit` turns each into words (or JSON with `--json`) and a code.
- With `json` it calls `show.print_json` once; otherwise it prints with `show.out()`, or nothing
  with `--quiet`. Progress and messages go to stderr: `progress.Stages`, `show.err()`.
- No cell value is shown without `--show-values`, and paths are shown only as they were typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from shoal.cli.audit import audit
from shoal.cli.check import check
from shoal.cli.compare import compare
from shoal.cli.demo import demo
from shoal.cli.exit import end
from shoal.cli.experiment import experiment, reproduce
from shoal.cli.explain import explain
from shoal.cli.hierarchy import hierarchy
from shoal.cli.init import init
from shoal.cli.listing import attacks, measures, methods, models
from shoal.cli.query import query
from shoal.cli.run import run
from shoal.cli.stream import stream
from shoal.cli.studio import studio
from shoal.cli.suggest import suggest
from shoal.cli.update import update

app = typer.Typer(
    name="shoal",
    rich_markup_mode=None,
    # Pretty tracebacks show local variables, and so cells.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


class Command(TyperCommand):
    """A command whose usage reads `shoal run [OPTIONS] PLAN`, without braces."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [re.sub("[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let an option whose value is in brackets, such as [N], stand alone: that means 0."""
        bare = {name for p in self.params if str(p.metavar).startswith("[") for name in p.opts}
        given = [*args, ""]
        filled = [
            part
            for here, following in pairwise(given)
            for part in ((here, "0") if here in bare and not following.isdigit() else (here,))
        ]
        return super().parse_args(ctx, filled)


@app.callback(invoke_without_command=True)
def shoal(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True)
    ] = False,
) -> None:
    """Publish tables about people so that each person is hidden in a crowd, and prove it.

    A plan (a YAML file) says what the columns are, what must hold, and how to get there. 'shoal
    run' makes the release, verifies it, and writes all of it or nothing.

    \b
    Examples:
      shoal run plan.yaml                      make the release of a plan
      shoal check people.csv --plan plan.yaml  is this table already fine?
      shoal models l-diversity                 what can be required, in detail

    \b
    Exit codes:
      0    done
      1    a requirement does not hold, or cannot be met
      2    the input, the plan or the command is wrong, or the output exists
      3    the machine failed (disk, memory), or shoal did
      130  interrupted
    """
    if version:
        from shoal.version import __version__

        typer.echo(f"shoal {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


_COMMANDS: tuple[Callable[..., int | None], ...] = (
    init, run, update, stream, check, audit, query, compare, explain, suggest, hierarchy, methods,
    models, measures, attacks, experiment, reproduce, studio, demo,
)  # fmt: skip
for _command in _COMMANDS:
    app.command(cls=Command)(_command)


def start(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code."""
    given = list(arguments)
    command = given[0] if given else ""
    # Alone, typer would print errors in its own words and choose the exit code.
    work = partial(app, given, prog_name="shoal", standalone_mode=False)
    return end(work, "--json" in given, command)
