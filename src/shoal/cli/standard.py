"""The standard streams when nobody listens, the disk is full, or characters are missing."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def write(stream: TextIO, text: str) -> None:
    """Write and flush; a reader who stops early (as in `| head`) is not a failure."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)


def flush(stream: TextIO) -> None:
    """Write what is left now, while a failure can still be reported."""
    try:
        write(stream, "")
    except OSError:
        silence(stream)
        raise


def silence(stream: TextIO) -> None:
    """Discard what is still to be written, so that the process ends quietly."""
    try:
        # Python flushes the stream once more when it ends, and would fail again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    # A stream that is closed, or is none of the system, has no descriptor to point elsewhere.
    except (OSError, ValueError):
        return


def forgive_encodings() -> None:
    """Replace characters that a terminal does not have instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        # What a test or a notebook puts in the place of a stream may lack it.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def is_unicode(stream: TextIO) -> bool:
    """Whether a stream takes every character."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def signs(stream: TextIO) -> dict[bool | None, str]:
    """The signs for yes, no and unknown that a stream can show."""
    yes, no = "✓✗" if is_unicode(stream) else "+x"
    return {True: yes, False: no, None: "?"}
