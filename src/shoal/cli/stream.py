"""The standard streams when they misbehave: nobody listens, the disk is full, few characters."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def write(stream: TextIO, text: str) -> None:
    """Write and flush; whoever no longer listens (as in `| head`) is no failure."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)


def flush(stream: TextIO) -> None:
    """Write what is left, so that what fails does so while it can still be told."""
    try:
        write(stream, "")
    except OSError:
        silence(stream)
        raise


def silence(stream: TextIO) -> None:
    """Let what is still to be written go nowhere, so that the process ends quietly."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def forgive_encodings() -> None:
    """A character that a terminal does not have is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def is_unicode(stream: TextIO) -> bool:
    """Whether a stream takes every character."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")
