"""`shoal studio`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import show
from shoal.cli.failure import UsageError


def studio(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help=("The folder with the tables; the studio keeps its own files there too."),
        ),
    ] = Path(),
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="N", min=1, max=65535, help="Where to listen; default: a free port."
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the link.")] = False,
) -> None:
    """Work in the browser: look at tables, write plans, run them and see what they publish.

    The studio runs on this machine and serves only this machine. The link that it prints works
    once, and without it nothing is shown. Plans and runs are kept in the folder, in .shoal-studio,
    which holds original values: never hand it out. Stop it with Ctrl-C.

    \b
    Examples:
      shoal studio
      shoal studio hospital --port 8800 --no-browser
    """
    try:
        from shoal.studio.server import serve
    except ModuleNotFoundError as error:
        # Any other module that is missing is a fault, not an extra.
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise UsageError(
            "The studio needs starlette and uvicorn, but they are not installed.",
            hint="Install them: pip install 'shoal[studio]'.",
        ) from None
    out = show.out()

    def tell(link: str) -> None:
        out.say("The studio is open. The link works once:")
        out.say(f"  {link}", whole=True)
        out.say("Stop it with Ctrl-C.", "dim")

    serve(folder, port, browser=not no_browser, tell=tell)
