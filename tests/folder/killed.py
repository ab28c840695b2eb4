"""Run a plan again and again, and be killed at its first file event, its second, and so on.

python killed.py PREPARED PLACE: in a copy of PREPARED for every event, PLACE/1, PLACE/2, …; prints
the number of the last event. Where PREPARED has arrivals, its state is updated instead. A process
is forked for each, before polars has started a thread.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

EVENTS = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.chmod", "shutil.rmtree")


def touches_files(event: str, arguments: tuple[Any, ...], folder: Path) -> bool:
    """Whether something is about to be made, changed, named or removed in the folder."""
    if event == "ctypes.dlsym":
        return arguments[1] == "renameat2"
    if event == "open":
        writes = isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        return bool(writes) and str(folder) in str(arguments[0])
    return event in EVENTS


def killed_at(number: int, folder: Path) -> bool:
    """Whether a run in this folder reached so many file events, and was killed there."""
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

        places: dict[str, Any] = {"output": folder / "release", "private": folder / "own"}
        new = folder / "new.csv"
        plan = None if new.exists() else shoal.Plan.load("again.yaml")
        sys.addaudithook(count)
        if plan is None:
            shoal.update(folder / "own", new, **places, force=True)
        else:
            shoal.run(plan, **places, force=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        sys.exit("the run failed by itself")
    return os.WIFSIGNALED(status)


def main(prepared: Path, place: Path) -> None:
    """Go on until a run ends before it is killed."""
    import shoal._run.run
    import shoal._run.update  # noqa: F401

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
