"""Stream again and again, and be killed at the first file event, the second, and so on.

python killed.py PREPARED PLACE: in a copy of PREPARED for every event, PLACE/1, PLACE/2, …; prints
the number of the last event. A process is forked for each, before polars has started a thread.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from tests.folder.killed import EVENTS, touches_files


def killed_at(number: int, folder: Path) -> bool:
    """Whether a stream in this folder reached so many file events, and was killed there."""
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        left = number

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal left
            if touches_files(event, arguments, folder):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        import shoal

        plan = shoal.Plan.load("plan.yaml")
        sys.addaudithook(count)
        shoal.stream(plan, private=folder / "own", output=folder / "out")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        sys.exit("the stream failed by itself")
    return os.WIFSIGNALED(status)


def main(prepared: Path, place: Path) -> None:
    """Go on until a stream ends before it is killed."""
    assert "os.rename" in EVENTS
    import shoal._run.stream  # noqa: F401

    number = 0
    killed = True
    while killed:
        number += 1
        folder = place / str(number)
        shutil.copytree(prepared, folder)
        killed = killed_at(number, folder)
    sys.stdout.write(f"{number - 1}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
