"""Which row is whose: prosecutor, marketer and, with a register, journalist."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from benchmarks.data import data_folder
from shoal.attack import Journalist, Linkage, Target
from tests.attack.test_base import target

ROWS = [("[1, 5]", "a")] * 2 + [("[4, 9]", "a")] * 3


def test_prosecutor_and_marketer() -> None:
    (found,) = Linkage().run(target(ROWS, [(1, "a"), (5, "a"), (4, "a"), (9, "a"), (8, "a")]))
    assert (found.worst, found.bound, found.holds, found.person) == (0.5, 0.5, True, 0)
    assert found.success.share == pytest.approx((1 / 2 + 1 / 5 + 1 / 5 + 1 / 3 + 1 / 3) / 5)
    assert found.baseline.share == pytest.approx(1 / 5)
    assert found.about == "row"


def test_a_class_that_is_too_small_is_beyond_what_was_promised() -> None:
    (found,) = Linkage().run(target(ROWS[1:], [(1, "a"), (9, "a")]))
    assert (found.worst, found.holds) == (1.0, False)


def test_a_journalist_names_people_of_a_register() -> None:
    (found,) = Journalist().run(target(ROWS, [(1, "a"), (5, "a"), (2, "b")]))
    # Two people of the register fit the first two rows, one the others.
    assert found.success.share == pytest.approx((2 * 1 / 2 + 3 * 1) / 5)
    assert found.worst == 1.0
    assert "100.0% of rows" in found.note


@pytest.fixture
def register() -> pl.DataFrame:
    path = data_folder() / "smartnoise-linkage-demo"
    files = sorted(path.glob("*.csv")) if path.is_dir() else []
    if not files:
        pytest.skip("needs the register smartnoise-linkage-demo, which is not there")
    return pl.read_csv(files[0], infer_schema=False).head(2000)


@pytest.mark.data
def test_a_synthetic_register(register: pl.DataFrame) -> None:
    """A release of part of it: nobody is named with more than the chance of their class."""
    names = [n for n in register.columns if 2 < register[n].n_unique() < 500][:3]
    part = register.select(names).head(800)
    plan = {"attributes": dict.fromkeys(names, "quasi"), "privacy": [{"k-anonymity": {"k": 4}}],
            "seed": 1}  # fmt: skip
    release = shoal.run(plan, part)
    one = Target(release.frame, release.schema, release.requirements, register)
    (found,) = Journalist().run(one)
    assert found.worst <= 1 / 4
