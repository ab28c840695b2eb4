"""The command line; the one home of typer and of what a terminal shows."""

from shoal.cli.app import main

__all__ = ["main"]
