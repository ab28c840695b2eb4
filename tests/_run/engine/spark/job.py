"""A run on a cluster as a process of its own: `python -m tests._run.engine.spark.job PLAN`.

It says which stage begins, so that a test can disturb it there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import shoal


@contextmanager
def tell(stage: str) -> Iterator[None]:
    print(stage, flush=True)  # noqa: T201
    yield


if __name__ == "__main__":
    shoal.run(sys.argv[1], progress=tell)
