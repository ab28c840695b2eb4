"""Environments of their own for other tools: made once from a pinned file, then used again.

`benchmarks/rivals/NAME.txt` has the pinned packages of a tool; its environment is a folder beside
`.venv` that git ignores. Tests that compare with another tool use the same ones.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

RIVALS = Path(__file__).parent / "rivals"
_PLACE = Path(__file__).parents[1] / ".venv-rivals"
_LONGEST = 900


class Unavailable(Exception):
    """The packages of a tool cannot be had here, for the reason given."""


def python_of(name: str) -> Path:
    """The interpreter of a tool's environment, which is made where there is none yet."""
    pinned = RIVALS / f"{name}.txt"
    digest = hashlib.sha256(pinned.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = _PLACE / f"{name}-{digest}"
    python = folder / "bin" / "python"
    if (folder / "ready").exists():
        return python
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [
            str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
            str(pinned),
        ],
    )  # fmt: skip
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"{name} was not installed within {_LONGEST} s") from None
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            raise Unavailable(f"{name} cannot be installed: {' '.join(errors[-1:])[:200]}")
    (folder / "ready").touch()
    return python
