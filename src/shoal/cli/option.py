"""The options and arguments that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan: a YAML or JSON file.")]
DataFile = Annotated[str, typer.Argument(metavar="DATA", help="The table: a file or a glob.")]
ReleasePath = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the release.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing unless something is wrong.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what already exists.")]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Also show cell values, which may be people's secrets."),
]

# The name is the same everywhere; each command says in `help` what it means there.
output_folder = partial(typer.Option, "--output", "-o", metavar="FOLDER")
output_page = partial(typer.Option, "--output", "-o", metavar="FILE.html")
plot_page = partial(typer.Option, "--plot", metavar="FILE.html")
private_folder = partial(typer.Option, "--private", metavar="FOLDER")
release_plan = partial(typer.Option, "--plan", metavar="PLAN")
other_data = partial(typer.Option, "--data", metavar="DATA")
