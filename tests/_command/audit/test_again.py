"""With the plan, rows that a run left out are told from rows that may have been dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests._command.audit.forge import Forged, copied, texts, write

LADDER = {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 3}}
PLAN: dict[str, Any] = {
    "attributes": {"age": LADDER, "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 4}}],
    "method": "ka",
}
# Nobody else is 40 to 44.
FRAME = pl.DataFrame({"age": range(20, 41), "ill": ["a", "b"] * 10 + ["b"]})


def left_out(found: Any) -> Any:
    return next(check for check in found.checks if check.name == "left out")


@pytest.fixture(scope="module", params=[{}, {"seed": 4}], ids=["drawn", "given"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return write(tmp_path_factory.mktemp("again"), {**PLAN, **request.param}, FRAME)


def test_the_plan_proves_who_was_left_out(made: Forged) -> None:
    """This method draws nothing, so that it does not matter which seed the run had."""
    assert left_out(made.audit("original")).holds is None
    found = made.audit("original", "plan")
    assert (texts(found), found.verdict) == ("", True)


def test_a_dropped_class_stays_open(made: Forged, tmp_path: Path) -> None:
    forged = copied(made, tmp_path)
    forged.table(lambda t: t.filter(pl.col("age") != t["age"][0]))
    n = pl.read_csv(forged.folder / "data.csv").height
    forged.counts(published=n, suppressed=FRAME.height - n)
    check = left_out(forged.audit("original", "plan"))
    assert check.holds is None
    assert "gives another release" in check.note
    assert forged.audit("original", "private").verdict is False


def test_a_plan_that_is_polished_by_time_proves_nothing(tmp_path: Path) -> None:
    made = write(tmp_path, {**PLAN, "polish": {"seconds": 0.01}}, FRAME)
    assert left_out(made.audit("original", "plan")).holds is None


def test_a_method_that_draws_proves_nothing(tmp_path: Path) -> None:
    """Another seed leaves others out."""
    privacy = [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2, "kind": "frequency"}}]
    plan = {**PLAN, "privacy": privacy, "method": "k-member", "seed": 1}
    made = write(tmp_path, plan, FRAME)
    assert left_out(made.audit("original", "plan")).holds is True
    made.plan["seed"] = 2
    assert left_out(made.audit("original", "plan")).holds is None
