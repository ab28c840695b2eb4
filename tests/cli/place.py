"""A folder to stand in, and the program run in it, in this process or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

SECRET = "S3CRET"
SOURCES = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Outcome:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """What it said on stderr, as running text."""
        return " ".join(self.err.split())


@dataclass(frozen=True)
class Place:
    """A working folder with a table and a plan."""

    folder: Path
    run: Callable[..., Outcome]

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def plan(self, name: str = "plan.yaml", **changes: Any) -> Path:
        plan = {
            "source": "people.csv",
            "attributes": {
                "name": "identifier",
                "age": {"role": "quasi", "kind": "numeric"},
                "town": {"role": "quasi", "kind": "categorical", "hierarchy": "flat"},
                "ill": "sensitive",
            },
            "privacy": [{"k-anonymity": {"k": 3}}],
            "seed": 7,
            "output": "release/",
        }
        plan |= changes
        path = self.folder / name
        with path.open("w") as file:
            YAML().dump({key: value for key, value in plan.items() if value is not None}, file)
        return path

    def look(self) -> dict[str, bytes | None]:
        """Every file with its bytes and every folder, hidden ones too."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes() if path.is_file() else None
            for path in self.folder.rglob("*")
        }

    def spawn(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """The program in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "shoal", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(SOURCES), "COLUMNS": "80"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def call(self, *arguments: str, **options: Any) -> Outcome:
        with self.spawn(*arguments, **options) as process:
            out, err = process.communicate(timeout=300)
        return Outcome(process.returncode, out, err)


def people(n: int = 30) -> str:
    """A small table, every cell of which outside the header is a secret of its own."""
    ills = [f"{SECRET}-a", f"{SECRET}-b", f"{SECRET}-c"]
    rows = [
        f"{SECRET}{i},{20 + i % 17},{SECRET}-{'uvw'[i % 3]},{ills[(i // 3) % 3]}" for i in range(n)
    ]
    return "\n".join(["name,age,town,ill", *rows, ""])
