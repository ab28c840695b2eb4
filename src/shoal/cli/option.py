"""The options and arguments that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan: a YAML or JSON file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing unless something is wrong.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a release that is there already.")]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Also show cell values, which may be people's secrets."),
]
