"""A small folder and a browser without a screen, for the tests of the studio."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

PORT = 8765
TOKEN = "t" * 43
ORIGIN = f"http://127.0.0.1:{PORT}"
PLAN = """\
source: people.csv
attributes:
  name: identifier
  age: {role: quasi, kind: numeric, hierarchy: {width: 10, levels: 2}}
  town: {role: quasi, kind: categorical}
  illness: sensitive
  care: sensitivity
privacy:
  - k-anonymity: {k: 4}
  - l-diversity: {l: 2, attribute: illness}
method: mondrian
"""


def people(n: int = 240) -> pl.DataFrame:
    draw = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(n)],
            "age": draw.integers(18, 90, n),
            "town": draw.choice(["Oslo", "Turku", "Rome", "Nice"], n),
            "illness": draw.choice(["flu", "cold", "asthma", "gout"], n),
            "care": draw.random(n).round(2),
        }
    )


def write_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    people().write_csv(folder / "people.csv")
    (folder / "plan.yaml").write_text(PLAN, encoding="utf-8")
    return folder


def wait(client: Any, path: str, most: float = 120) -> Any:
    """Ask for a page until no work is shown on it any more."""
    end = time.monotonic() + most
    while True:
        answer = client.get(path)
        if 'class="working"' not in answer.text:
            return answer
        assert time.monotonic() < end, "the work does not end"
        time.sleep(0.1)
