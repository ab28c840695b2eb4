"""The process of one job: `python -m shoal.studio.worker FOLDER`, told what to do on its stdin."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from shoal.errors import ShoalError
from shoal.studio.place import Place


def main() -> int:
    """Read one task, do it, and say how it went."""
    place = Place(Path(sys.argv[1]))
    task = json.loads(sys.stdin.readline())
    out = _keep_output()
    threading.Thread(target=_end_with_server, args=(place.job(task["id"]),), daemon=True).start()

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        _say(out, {"stage": name})
        yield

    try:
        from shoal.studio.task import TASKS

        result = TASKS[task["kind"]](place, task, stage)
    except Exception as error:
        _say(out, {"problems": problems_of(error)})
        return 1
    _say(out, {"result": result})
    return 0


def problems_of(error: Exception) -> list[dict[str, Any]]:
    """What went wrong in words that may be shown: never the text of a foreign error.

    >>> problems_of(KeyError("a secret"))[0]["text"]
    'shoal itself failed: KeyError.'
    """
    if isinstance(error, ShoalError):
        return [{"text": p.text, "where": p.where, "hint": p.hint} for p in error.problems]
    if isinstance(error, MemoryError):
        hint = "Add 'shards: {rows: 200000}' to the plan, or free memory."
        return [{"text": "Not enough memory.", "where": "", "hint": hint}]
    if isinstance(error, OSError):
        words = os.strerror(error.errno) if error.errno else "A file could not be read or written"
        hint = "Nothing half-written is left. Fix the cause and try again."
        return [{"text": f"The machine failed: {words}.", "where": "", "hint": hint}]
    text = f"shoal itself failed: {type(error).__name__}."
    return [{"text": text, "where": "", "hint": "Please report this."}]


def _keep_output() -> TextIO:
    """The pipe to the server; what libraries print goes nowhere."""
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return open(kept, "w", encoding="utf-8", buffering=1)  # noqa: PTH123


def _say(out: TextIO, document: Mapping[str, Any]) -> None:
    out.write(json.dumps(document) + "\n")
    out.flush()


def _end_with_server(folder: Path) -> None:
    """Wait until the server closes its end of the pipe or is gone; leave nothing then."""
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    # sys.exit would end this thread only.
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
