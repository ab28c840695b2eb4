"""The command line, the only package that uses typer."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from shoal.cli.watch import block_requests, watched

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with these arguments and return its exit code.

    Without arguments, those of the process: then the work is done in a child process, and this one
    ends it when a signal asks for that.
    """
    if arguments is not None:
        from shoal.cli.app import start

        return start(arguments)
    # Before anything else: a request to end then waits until somebody can follow it.
    block_requests()
    from shoal.cli.app import start

    given = sys.argv[1:]
    command = given[0] if given else ""
    return watched(lambda: start(given), "--json" in given, command)
