"""The seed of a run: drawn, unless the plan names one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from shoal.plan import Plan
from shoal.plan.seed import BITS, SeedFile


@dataclass(frozen=True)
class Seed:
    """What everything random is derived from, and where it comes from.

    The same value gives the same release, whether it was drawn, is in a file or in the plan.
    """

    value: int | str
    origin: Literal["plan", "file", "drawn"]


def find_seed(plan: Plan) -> Seed:
    """The seed that the plan names, else a fresh one; raises PlanError if its file is unfit."""
    if plan.seed is None:
        return Seed(secrets.randbits(BITS), "drawn")
    if isinstance(plan.seed, SeedFile):
        return Seed(plan.seed.read(plan.base), "file")
    return Seed(plan.seed, "plan")
