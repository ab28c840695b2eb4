"""Classes by counts are those of the whole table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.engine import LocalEngine
from shoal._run.part.count import add_counts
from shoal._run.part.run import run_in_parts
from shoal._run.seed import Seed
from shoal.errors import InfeasibleError
from shoal.plan import Plan
from shoal.reading.table import read_table

K = {"k-anonymity": {"k": 5}}


def table(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    skewed = np.arange(1, 31)[::-1] / np.arange(1, 31).sum()
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "zip": draw.choice(30, n, p=skewed).astype(str),
            "sex": draw.choice(["m", "f"], n),
            "ill": draw.choice(["flu", "cold", "hiv", "gout"], n, p=[0.5, 0.3, 0.15, 0.05]),
            "visit": draw.integers(0, 1000, n),
        }
    )


def plan_of(folder: Path, **changes: Any) -> Plan:
    return Plan.parse(
        {
            "source": str(folder / "people.parquet"),
            "attributes": {
                "age": {"role": "quasi", "hierarchy": {"width": 5, "levels": 3}},
                "zip": {"role": "quasi", "kind": "categorical", "hierarchy": {"mask": 2}},
                "sex": {"role": "quasi", "hierarchy": "flat"},
                "ill": "sensitive",
                "visit": "insensitive",
            },
            "privacy": [K],
            "seed": 7,
            "output": {"folder": str(folder / "whole"), "format": "parquet"},
            **changes,
        }
    )


def by_counts(plan: Plan, folder: Path) -> pl.DataFrame:
    from contextlib import nullcontext

    run_in_parts(
        plan, plan.data, folder, LocalEngine(), lambda _: nullcontext(), Seed(7, "plan"),
        folder / "counted", force=False,
    )  # fmt: skip
    return read_table(folder / "counted" / "data.parquet")


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("top-down", []),
        ("top-down", [{"l-diversity": {"l": 3}}]),
        ("top-down", [{"l-diversity": {"l": 1.8, "kind": "entropy"}}]),
        ("ka", []),
        ("ka", [{"l-diversity": {"l": 3}}]),
        ({"ka": {"climb": "together"}}, []),
        ({"ka": {"climb": "together"}}, [{"l-diversity": {"l": 3}}]),
        ({"ka": {"budget": 1}}, []),
    ],
)
def test_the_release_is_that_of_one_machine(
    tmp_path: Path, method: Any, more: list[Any], seed: int
) -> None:
    table(3000, seed).write_parquet(tmp_path / "people.parquet")
    plan = plan_of(tmp_path, method=method, privacy=[K, *more])
    shoal.run(plan)
    assert by_counts(plan, tmp_path).equals(read_table(tmp_path / "whole" / "data.parquet"))


LEVELS = {"multi-level-k": {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[60, 5], [30, 12]]}}


@pytest.mark.parametrize("more", [[], [{"k-anonymity": {"k": 7}}], [{"l-diversity": {"l": 3}}]])
@pytest.mark.parametrize("climb", ["together", "lattice"])
def test_downscaling_sees_only_the_sides_of_thresholds(
    tmp_path: Path, climb: str, more: list[Any]
) -> None:
    f = np.random.default_rng(4).random(3000).round(2)
    table(3000, 1).with_columns(f=pl.Series(f)).write_parquet(tmp_path / "people.parquet")
    quasi = {"role": "quasi", "hierarchy": {"width": 5, "levels": 3}}
    attributes = {"age": quasi, "sex": {"role": "quasi", "hierarchy": "flat"}, "zip": "drop",
                  "ill": "sensitive", "visit": "insensitive", "f": "sensitivity"}  # fmt: skip
    plan = plan_of(
        tmp_path,
        method={"sd-mks3wd": {"climb": climb}},
        privacy=[LEVELS, *more],
        attributes=attributes,
    )
    shoal.run(plan)
    assert by_counts(plan, tmp_path).equals(read_table(tmp_path / "whole" / "data.parquet"))


def test_what_would_need_repair_is_refused(tmp_path: Path) -> None:
    table(40, 1).write_parquet(tmp_path / "people.parquet")
    plan = plan_of(tmp_path, method="top-down", privacy=[{"k-anonymity": {"k": 41}}])
    with pytest.raises(InfeasibleError):
        by_counts(plan, tmp_path)
    assert not (tmp_path / "counted").exists()


def test_counts_add_up_whatever_their_order() -> None:
    one = pl.DataFrame({"k0": [1, 2], "n": [3, 4]})
    other = pl.DataFrame({"k0": [2, 5], "n": [1, 1]})
    both = add_counts(one, other).sort("k0")
    assert both.rows() == [(1, 3), (2, 5), (5, 1)]
    assert both.equals(add_counts(other, one).sort("k0"))
