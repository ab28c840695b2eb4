"""The command line, the only package that uses typer."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with these arguments, or with those of the process; returns its code."""
    try:
        from shoal.cli.app import start
    except KeyboardInterrupt:
        return 130
    return start(arguments)
